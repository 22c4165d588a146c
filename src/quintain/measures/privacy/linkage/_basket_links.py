"""Basket links: guess the pseudonyms whose items of a month resemble a person's basket most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.data.arrays import Floats, Rows, distinct
from quintain.kernels.baskets import PAIRS, Baskets
from quintain.kernels.purchases import Purchases
from quintain.releases.pseudonyms import PseudonymTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WEIGHTS = (1.0, 2 / 3, 1 / 3)
"""What the right pseudonym is worth as the first, second and third guess."""

LARGEST = 64
"""How many of the largest baskets are looked at first: random ones often share more with these."""

DEPTH = 3
"""How many rare items a pseudonym must have to be compared item by item."""

PAIRS_AT_ONCE = 200_000
"""How many pairs of baskets are compared item by item at a time."""


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
    shared = np.asarray(holds.multiply(published.holds[right_basket[guessed]]).sum(axis=1))
    total = 0.0
    for each in distinct(month).tolist():
        first, end = np.searchsorted(month, [each, each + 1]).tolist()
        low, high = np.searchsorted(published.month, [each, each + 1]).tolist()
        if low == high:
            continue
        search = _Search.of(published.holds[low:high])
        step = max(1, PAIRS // (high - low))
        for start in range(first, end, step):
            rows = slice(start, min(start + step, end))
            total += float(search.worth(holds[rows], shared[rows]).sum())
    return total / live_cells


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The published baskets of a month, with their items in the order of rarity.

    Comparing every basket with all others takes time that grows with the square of their number.
    A pseudonym that shares at least as many items as the right one lacks only few items of the
    basket. So it has some of its rarest items, and only few pseudonyms do.

    Parameters
    ----------
    order : for each item its place in the order of rarity.
    holds : the baskets.
    turned : the same, one line per item.
    largest : the baskets with the most items, one line per item.
    """

    order: Rows
    holds: csr_array
    turned: csr_array
    largest: csr_array

    @classmethod
    def of(cls, holds: csr_array) -> _Search:
        """Order the items of the baskets."""
        by_rarity = np.argsort(np.bincount(holds.indices, minlength=holds.shape[1]), kind="stable")
        order = np.empty(len(by_rarity), np.int64)
        order[by_rarity] = np.arange(len(by_rarity))
        ordered = _reordered(holds, order)
        large = np.argsort(-np.diff(ordered.indptr), kind="stable")[:LARGEST]
        return cls(order, ordered, ordered.T.tocsr(), ordered[large].T.tocsr())

    def worth(self, holds: csr_array, shared: Floats) -> Floats:
        """The expected worth of the right pseudonym for each basket."""
        out = np.zeros(len(shared))
        ordered = _reordered(holds, self.order)
        row, _, number = _entries(ordered @ self.largest)
        better = np.bincount(row[number > shared[row]], minlength=len(shared))
        rest = np.flatnonzero((shared > 0) & (better < len(WEIGHTS)))
        if len(rest):
            out[rest] = self._searched(ordered[rest], shared[rest])
        return out

    def _searched(self, holds: csr_array, shared: Floats) -> Floats:
        """Compare baskets with the pseudonyms that have enough of their rarest items."""
        size = np.diff(holds.indptr)
        lacking = size - shared
        count = np.minimum(size, lacking + DEPTH).astype(np.int64)
        row, other, number = _entries(_first_items(holds, count) @ self.turned)
        likely = number >= (count - lacking)[row]
        row, other, number = row[likely], other[likely], number[likely]
        unsure = np.flatnonzero(count[row] < size[row])
        for start in range(0, len(unsure), PAIRS_AT_ONCE):
            at = unsure[start : start + PAIRS_AT_ONCE]
            number[at] = holds[row[at]].multiply(self.holds[other[at]]).sum(axis=1)
        return _worth(shared, number, row)


def _reordered(holds: csr_array, order: Rows) -> csr_array:
    """The baskets with the items of each in a new order."""
    from scipy.sparse import csr_array

    columns = order[holds.indices].astype(holds.indices.dtype)
    moved = csr_array((holds.data, columns, holds.indptr), shape=holds.shape)
    moved.sort_indices()
    return moved


def _first_items(holds: csr_array, count: Rows) -> csr_array:
    """The first so many items of each basket."""
    from scipy.sparse import csr_array

    size = np.diff(holds.indptr)
    rank = np.arange(len(holds.indices)) - np.repeat(holds.indptr[:-1], size)
    kept = rank < np.repeat(count, size)
    upto = np.concatenate([[0], np.cumsum(count)])
    return csr_array((holds.data[kept], holds.indices[kept], upto), shape=holds.shape)


def _entries(block: csr_array) -> tuple[Rows, Rows, Floats]:
    """Row, column and number of every entry."""
    return np.repeat(np.arange(block.shape[0]), np.diff(block.indptr)), block.indices, block.data


def _worth(shared: Floats, other: Floats, row: Rows) -> Floats:
    """The expected worth of the right pseudonym, for each basket.

    Parameters
    ----------
    shared : how many items the right pseudonym shares with each basket.
    other : how many items the pseudonyms share, all that share as many included.
    row : the basket of each number in ``other``.
    """
    better = np.bincount(row[other > shared[row]], minlength=len(shared))
    equal = np.bincount(row[other == shared[row]], minlength=len(shared))
    worth = np.concatenate([[0.0], np.cumsum(WEIGHTS)])
    upto = np.minimum(better + equal, len(WEIGHTS)), np.minimum(better, len(WEIGHTS))
    return np.where(shared > 0, (worth[upto[0]] - worth[upto[1]]) / np.maximum(equal, 1), 0.0)
