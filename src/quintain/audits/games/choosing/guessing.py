"""Guessing: which coins to guess, and which to leave; chosen on runs that give no bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.kernels.ranks import average_ranks
from quintain.measures.epsilon.thresholds import best_threshold
from quintain.measures.reading import LEVEL

TAIL = 0.01
"""Small, so that few guesses which happen to be right on the training runs do not count much."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Guess the coins about which the attack is most confident, and leave the others.

    Parameters
    ----------
    top, bottom : the shares of the runs that look like "in", and of those that look like "out",
        in which a guess is made.
    """

    top: float
    bottom: float

    def count(self, confidence: Floats, coins: Mask) -> tuple[int, int]:
        """How many guesses are right, and how many there are."""
        inside, outside = confidence > 1 - self.top, confidence < self.bottom - 1
        right = int((inside & coins).sum() + (outside & ~coins).sum())
        return right, int(inside.sum() + outside.sum())


RULES = (
    *(Rule(share, share) for share in (1.0, 0.6, 0.3, 0.15, 0.05)),
    *(Rule(share, 0.0) for share in (1.0, 0.3, 0.05)),
    *(Rule(0.0, share) for share in (1.0, 0.3, 0.05)),
)
"""Few, because of many rules the best one on the training runs is often only lucky."""


def confidence_by_rank(scores: Floats) -> Floats:
    """From -1 for the lowest score to 1 for the highest; equal scores get the same.

    >>> confidence_by_rank(np.array([5.0, 7.0, 6.0, 6.0]))
    array([-0.75,  0.75,  0.  ,  0.  ])
    """
    return np.asarray((2 * average_ranks(scores) - 1) / len(scores) - 1)


def confidence_by_training(scores: Floats, known: Floats, coins: Mask) -> Floats:
    """Above 0 if a score looks like "in"; 1 if it is farther from the border than training runs.

    Parameters
    ----------
    known, coins : the scores of training runs, and who was in their data. They set the border.
    """
    if coins.all() or not coins.any():
        return confidence_by_rank(scores)
    border = best_threshold(known[coins], known[~coins], 0.0, LEVEL)
    above = _place(known[known > border], scores)
    below = _place(-known[known <= border], -scores)
    return np.where(scores > border, above, -below)


def _place(side: Floats, scores: Floats) -> Floats:
    """The share of one side of the border that is less extreme than each score."""
    ordered = np.sort(side)
    less = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    return np.asarray((less / 2 + 0.5) / (len(side) + 1))


def best_rule(confidence: Floats, coins: Mask) -> tuple[Rule, float]:
    """The rule that shows most on these runs, and the log odds that it shows."""
    counted = np.array([rule.count(confidence, coins) for rule in RULES])
    shown = shown_by(counted[:, 0], counted[:, 1])
    best = int(np.argmax(shown))
    return RULES[best], float(shown[best])


def shown_by(right: Floats, guessed: Floats) -> Floats:
    """The least log odds of a right guess that fit the counts; below 0 if half are wrong.

    >>> shown_by(np.array([10, 5]), np.array([10, 10])).round(2)
    array([ 0.54, -1.73])
    """
    from scipy.special import betaincinv

    low = np.where(right > 0, betaincinv(np.maximum(right, 1), guessed - right + 1, TAIL), 0.0)
    low = np.clip(low, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(low / (1 - low)))
