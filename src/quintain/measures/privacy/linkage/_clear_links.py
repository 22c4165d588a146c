"""Clear links: the known basket to which a published basket is clearly the most similar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.data.arrays import Rows
from quintain.kernels.baskets import Baskets, compare
from quintain.kernels.unit_rows import unit_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ClearLinks:
    """Published baskets, and the known ones that they are compared with.

    Parameters
    ----------
    known, published : the baskets.
    similar : the smallest cosine that links.
    clear : how many times more similar than all others the most similar known basket must be.
    """

    known: Baskets
    published: Baskets
    similar: float
    clear: float

    def of(self, baskets: Rows) -> Rows:
        """For each of these published baskets the known one that it is linked to, or -1.

        The numbers of the published baskets must be in rising order.
        """
        link = np.full(len(baskets), -1)
        vectors, known = weighted(self.published, self.known), weighted(self.known, self.known)
        month = self.published.month[baskets]
        for rows, block in compare(vectors[baskets], month, known, self.known.month):
            count = np.diff(block.indptr)
            filled = np.flatnonzero(count)
            if not len(filled):
                continue
            best = np.zeros(len(count))
            best[filled] = np.maximum.reduceat(block.data, block.indptr[filled])
            row = np.repeat(np.arange(len(count)), count)
            near = np.flatnonzero(block.data * self.clear > best[row] + ROUNDING)
            alone = np.bincount(row[near], minlength=len(count)) == 1
            linked = near[alone[row[near]] & (best[row[near]] >= self.similar - ROUNDING)]
            first = np.searchsorted(self.known.month, month[rows.start])
            link[rows.start + row[linked]] = first + block.indices[linked]
        return link

    def similar_to(self, persons: Rows) -> Rows:
        """The published baskets similar enough to a known one of these persons, in rising order."""
        is_similar = np.zeros(len(self.published.person), bool)
        chosen = np.flatnonzero(np.isin(self.known.person, persons))
        vectors, known = weighted(self.published, self.known), weighted(self.known, self.known)
        month = self.known.month[chosen]
        for rows, block in compare(known[chosen], month, vectors, self.published.month):
            first = np.searchsorted(self.published.month, month[rows.start])
            is_similar[first + block.indices[block.data >= self.similar - ROUNDING]] = True
        return np.flatnonzero(is_similar)


def weighted(baskets: Baskets, known: Baskets) -> csr_array:
    """Baskets as vectors of length 1; an item in few known baskets of the month weighs more.

    If a month has no known basket, all its items weigh the same.
    """
    vectors = baskets.holds.copy()
    for month in np.unique(baskets.month).tolist():
        first, end = np.searchsorted(known.month, [month, month + 1])
        buyers = known.holds[first:end].sum(axis=0)
        weight = np.log((end - first + 1) / np.maximum(buyers, 1)) if end > first else None
        low, high = np.searchsorted(baskets.month, [month, month + 1])
        entries = slice(vectors.indptr[low], vectors.indptr[high])
        if weight is not None:
            vectors.data[entries] = weight[vectors.indices[entries]]
    return unit_rows(vectors)
