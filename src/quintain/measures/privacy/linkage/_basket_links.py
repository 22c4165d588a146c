"""Basket links: guess the pseudonyms that share most items with a person's basket of the month."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats
from quintain.kernels.baskets import Baskets, compare
from quintain.kernels.purchases import Purchases
from quintain.releases.pseudonyms import PseudonymTable

WEIGHTS = (1.0, 2 / 3, 1 / 3)
"""What the right pseudonym is worth in first, second and third place."""


def basket_share(truth: PseudonymTable, original: Purchases, release: Purchases) -> float:
    """The mean worth of three guesses a cell, the best matching baskets of the month first.

    Pseudonyms are ranked by the number of items they share with the person's basket; among equals
    the order is random and the expectation counts. A pseudonym that shares nothing is no guess.
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
    """The expected worth of the right pseudonym, which shares so many items with each basket.

    Parameters
    ----------
    other : the numbers of shared items with every pseudonym, the right one included.
    indptr : where those of each basket begin.
    """
    row = np.repeat(np.arange(len(shared)), np.diff(indptr))
    better = np.bincount(row[other > shared[row]], minlength=len(shared))
    equal = np.bincount(row[other == shared[row]], minlength=len(shared))
    worth = np.concatenate([[0.0], np.cumsum(WEIGHTS)])
    upto = np.minimum(better + equal, len(WEIGHTS)), np.minimum(better, len(WEIGHTS))
    return np.where(shared > 0, (worth[upto[0]] - worth[upto[1]]) / np.maximum(equal, 1), 0.0)
