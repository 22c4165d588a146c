"""Basket links: guess the pseudonyms whose items of a month resemble a person's basket most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats
from quintain.kernels.baskets import Baskets, compare
from quintain.kernels.purchases import Purchases
from quintain.releases.pseudonyms import PseudonymTable

WEIGHTS = (1.0, 2 / 3, 1 / 3)
"""What the right pseudonym is worth as the first, second and third guess."""


def basket_share(truth: PseudonymTable, original: Purchases, release: Purchases) -> float:
    """The mean worth of three guesses per person and month, the best matching baskets first.

    The attack ranks pseudonyms by the number of items that they share with the person's basket.
    Equal ones come in random order, so their expected worth counts. A pseudonym that shares
    nothing is not guessed.
    """
    known, published = Baskets.of(original), Baskets.of(release)
    right = truth.cells[known.person, known.month - truth.first_month]
    right_basket = published.find(right, known.month)
    right_basket[right < 0] = -1
    guessed = np.flatnonzero(right_basket >= 0)
    live_cells = int(np.count_nonzero(truth.live))
    if not len(guessed) or not live_cells:
        return 0.0
    holds, month = known.holds[guessed], known.month[guessed]
    shared = holds.multiply(published.holds[right_basket[guessed]]).sum(axis=1)
    total = 0.0
    for rows, block in compare(holds, month, published.holds, published.month):
        total += float(_worth(np.asarray(shared)[rows], block.data, block.indptr).sum())
    return total / live_cells


def _worth(shared: Floats, other: Floats, indptr: npt.NDArray[np.int32]) -> Floats:
    """The expected worth of the right pseudonym, for each basket.

    Parameters
    ----------
    shared : how many items the right pseudonym shares with each basket.
    other : how many items every pseudonym shares, the right one included, basket after basket.
    indptr : where the numbers of each basket begin in ``other``.
    """
    row = np.repeat(np.arange(len(shared)), np.diff(indptr))
    better = np.bincount(row[other > shared[row]], minlength=len(shared))
    equal = np.bincount(row[other == shared[row]], minlength=len(shared))
    worth = np.concatenate([[0.0], np.cumsum(WEIGHTS)])
    upto = np.minimum(better + equal, len(WEIGHTS)), np.minimum(better, len(WEIGHTS))
    return np.where(shared > 0, (worth[upto[0]] - worth[upto[1]]) / np.maximum(equal, 1), 0.0)
