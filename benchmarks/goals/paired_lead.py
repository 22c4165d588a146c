"""How much more of the same people one guess rebuilds than another, with an interval."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.guesses import Guess, Truth
from quintain.guesses.reconstruction import rebuilt_columns
from quintain.measures.privacy.excess_accuracy import as_numbers, near

_DRAWN = 2_000  # times that people are drawn again


def paired_lead(truth: Truth, ours: Guess, theirs: Guess, *, by_rarity: bool) -> Floats:
    """The score of ours minus that of theirs for the members, and its 95 % interval.

    The score is that of ``cells-exact`` or of ``cells-by-rarity``. Members are drawn again, each
    with all cells of both guesses (percentile bootstrap), because the cells of a person depend on
    each other, and so do the two guesses about them.
    """
    right, weights = _right(truth, ours, by_rarity)
    gained = right.astype(np.float64) - _right(truth, theirs, by_rarity)[0]
    often = _often(weights.shape[1])
    means = ((often @ (weights * gained).T) / (often @ weights.T)).mean(axis=1)
    return np.array([means[0], *np.quantile(means[1:], [0.025, 0.975])])


@lru_cache(maxsize=1)
def _often(people: int) -> Floats:
    """How often each person is drawn: first everybody once, then at random."""
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(people, np.full(people, 1 / people), _DRAWN)
    return np.concatenate([np.ones((1, people)), drawn])


def _right(truth: Truth, guess: Guess, by_rarity: bool) -> tuple[Mask, Floats]:
    """Which cells of members are rebuilt, and how much each counts: columns x members."""
    inside, columns = rebuilt_columns(truth, guess)
    right, weights = [], []
    for column in columns:
        values, guesses = as_numbers(column.values), as_numbers(column.guesses)
        _, classes, counts = np.unique(values, return_inverse=True, return_counts=True)
        right.append(near(values, guesses, 0.0)[inside])
        weights.append(1 / counts[classes][inside] if by_rarity else np.ones(inside.sum()))
    return np.array(right), np.array(weights)
