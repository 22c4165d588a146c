"""Baskets: the items that a person bought in a month, and how similar two baskets are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from quintain.data.arrays import Array, Rows, distinct
from quintain.kernels.purchases import Purchases, months_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIRS = 4_000_000
"""The number of pairs of baskets compared at once."""

WIDE = 16_384
"""The most baskets that one is compared with at once, so that the sums stay in a core's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Baskets:
    """One basket for each person and month with purchases, ordered by month, then person.

    Parameters
    ----------
    person : whose basket it is, as a position among the persons.
    month : months since January 1970; 0 throughout if a basket is all that a person bought.
    holds : baskets by items; 1 where the item is in the basket.
    """

    person: Rows
    month: Rows
    holds: csr_array

    @classmethod
    def of(cls, purchases: Purchases, *, by: Literal["month", "whole"] = "month") -> Baskets:
        """The baskets of all rows that were not deleted: per person and month, or per person."""
        from scipy.sparse import csr_array

        rows = purchases.live_rows()
        people = max(len(rows.persons), 1)
        month = months_of(rows.day) if by == "month" else np.zeros(len(rows), np.int64)
        basket, which = np.unique(month * people + rows.person, return_inverse=True)
        shape = (len(basket), len(rows.items))
        holds = csr_array((np.ones(len(rows)), (which, rows.item)), shape=shape)
        holds.data[:] = 1
        return cls(basket % people, basket // people, holds)

    def find(self, person: Array, month: Array) -> Rows:
        """The number of a person's basket in a month; -1 if the person has none."""
        if not len(self.person):
            return np.full(len(person), -1)
        people = int(max(self.person.max(), person.max(initial=0))) + 1
        own_keys = self.month * people + self.person
        wanted = month.astype(np.int64) * people + person
        place = np.minimum(np.searchsorted(own_keys, wanted), len(own_keys) - 1)
        return np.where(own_keys[place] == wanted, place, -1)


def compare(
    one: csr_array, month: Rows, other: csr_array, other_month: Rows
) -> Iterator[tuple[slice, int, csr_array]]:
    """Products of rows with all rows of the other matrix in the same month, block by block.

    Both must be ordered by month. Yields which rows, the first of the other rows, and the block.
    """
    for each in distinct(month).tolist():
        first, end = np.searchsorted(month, [each, each + 1]).tolist()
        low, high = np.searchsorted(other_month, [each, each + 1]).tolist()
        for left in range(low, high, WIDE):
            turned = other[left : min(left + WIDE, high)].T.tocsr()
            step = max(1, PAIRS // turned.shape[1])
            for start in range(first, end, step):
                rows = slice(start, min(start + step, end))
                yield rows, left, one[rows] @ turned
