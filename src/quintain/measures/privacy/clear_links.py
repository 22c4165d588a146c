"""Clear links: the known basket to which a published basket is clearly the most similar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quintain.data.arrays import Floats, Rows, distinct
from quintain.kernels.purchases import Baskets, compare, unit_rows

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
        top = _TopTwo.of(len(baskets))
        vectors, known = (
            weigh_items(self.published, self.known),
            weigh_items(self.known, self.known),
        )
        month = self.published.month[baskets]
        for rows, first, block in compare(vectors[baskets], month, known, self.known.month):
            top.add(rows.start, first, block)
        least = top.best + ROUNDING
        alone = (top.best * self.clear > least) & (top.second * self.clear <= least)
        return np.where(alone & (top.best >= self.similar - ROUNDING), top.which, -1)

    def similar_to(self, persons: Rows) -> Rows:
        """The published baskets similar enough to a known one of these persons, in rising order."""
        is_similar = np.zeros(len(self.published.person), bool)
        chosen = np.flatnonzero(np.isin(self.known.person, persons))
        vectors, known = (
            weigh_items(self.published, self.known),
            weigh_items(self.known, self.known),
        )
        month = self.known.month[chosen]
        for _, first, block in compare(known[chosen], month, vectors, self.published.month):
            is_similar[first + block.indices[block.data >= self.similar - ROUNDING]] = True
        return np.flatnonzero(is_similar)


@dataclass(frozen=True, slots=True, eq=False)
class _TopTwo:
    """For each basket the largest and the second largest similarity so far.

    ``which`` is the known basket with the largest.
    """

    best: Floats
    second: Floats
    which: Rows

    @classmethod
    def of(cls, baskets: int) -> _TopTwo:
        """Before any comparison."""
        return cls(np.zeros(baskets), np.zeros(baskets), np.full(baskets, -1))

    def add(self, start: int, first: int, block: csr_array) -> None:
        """Compare the baskets from ``start`` on with the known ones from ``first`` on."""
        count = np.diff(block.indptr)
        filled = np.flatnonzero(count)
        if not len(filled):
            return
        begins, rest = block.indptr[filled], block.data.copy()
        largest = np.maximum.reduceat(rest, begins)
        equal = np.flatnonzero(rest == np.repeat(largest, count[filled]))
        place = equal[np.searchsorted(equal, begins)]
        rest[place] = 0.0
        next_largest = np.maximum.reduceat(rest, begins)
        rows = start + filled
        before, better = self.best[rows], largest > self.best[rows]
        self.which[rows[better]] = first + block.indices[place[better]]
        loser = np.minimum(before, largest)
        self.second[rows] = np.maximum(np.maximum(self.second[rows], next_largest), loser)
        self.best[rows] = np.maximum(before, largest)


def weigh_items(baskets: Baskets, known: Baskets) -> csr_array:
    """Baskets as vectors of length 1; an item in few known baskets of the month weighs more.

    If a month has no known basket, all its items weigh the same.
    """
    vectors = baskets.holds.copy()
    for month in distinct(baskets.month).tolist():
        first, end = np.searchsorted(known.month, [month, month + 1])
        buyers = known.holds[first:end].sum(axis=0)
        weight = np.log((end - first + 1) / np.maximum(buyers, 1)) if end > first else None
        low, high = np.searchsorted(baskets.month, [month, month + 1])
        entries = slice(vectors.indptr[low], vectors.indptr[high])
        if weight is not None:
            vectors.data[entries] = weight[vectors.indices[entries]]
    return unit_rows(vectors)
