"""Guessing: which coins to guess, and which to leave; chosen on runs that give no bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.kernels.ranks import average_ranks

SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Which share of the highest, or of the lowest, scores may be guessed."""
TAIL = 0.05


@dataclass(frozen=True, slots=True)
class Rule:
    """Guess that the highest scores were in the data, and that the lowest were not.

    Parameters
    ----------
    top, bottom : the shares of the scores that are guessed; nothing is said of the rest.
    """

    top: float
    bottom: float

    def guesses(self, ranks: Floats) -> Floats:
        """1 for "in", -1 for "out" and 0 for no guess, from ranks between 0 and 1."""
        return np.where(ranks > 1 - self.top, 1.0, np.where(ranks < self.bottom, -1.0, 0.0))

    def count(self, ranks: Floats, coins: Mask) -> tuple[int, int]:
        """How many guesses are right, and how many there are."""
        guesses = self.guesses(ranks)
        return int(((guesses > 0) == coins)[guesses != 0].sum()), int((guesses != 0).sum())


def relative_ranks(scores: Floats) -> Floats:
    """Ranks between 0 and 1; equal scores share one."""
    return np.asarray((average_ranks(scores) - 0.5) / len(scores))


def best_rule(ranks: Floats, coins: Mask) -> tuple[Rule, float]:
    """The rule that shows most on these runs, and the log odds that it shows."""
    rules = [Rule(top, bottom) for top in (0.0, *SHARES) for bottom in (0.0, *SHARES)][1:]
    counted = np.array([rule.count(ranks, coins) for rule in rules])
    shown = shown_by(counted[:, 0], counted[:, 1])
    best = int(np.argmax(shown))
    return rules[best], float(shown[best])


def shown_by(right: Floats, guessed: Floats) -> Floats:
    """The least log odds of a right guess that fit the counts; below 0 if half are wrong.

    >>> shown_by(np.array([10, 5]), np.array([10, 10])).round(2)
    array([ 1.05, -1.25])
    """
    from scipy.special import betaincinv

    low = np.where(right > 0, betaincinv(np.maximum(right, 1), guessed - right + 1, TAIL), 0.0)
    low = np.clip(low, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(low / (1 - low)))
