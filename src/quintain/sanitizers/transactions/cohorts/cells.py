"""Cells: what one person bought in one month, and its rows in order of price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, months_of


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of purchases, ordered by month, then person; deleted rows are in none.

    Parameters
    ----------
    person : whose cell it is, as a position among the persons.
    month : months since January 1970.
    rows : the rows of all cells, cell after cell, in each by rising price.
    start, size : where the rows of each cell begin, and how many there are.
    """

    person: Rows
    month: Rows
    rows: Rows
    start: Rows
    size: Rows

    @classmethod
    def of(cls, bought: Purchases) -> Cells:
        """The cells of all rows that were not deleted."""
        live = np.flatnonzero(bought.live)
        people = max(len(bought.persons), 1)
        key = months_of(bought.day[live]) * people + bought.person[live]
        order = np.lexsort((bought.price[live], key))
        cell, start, size = np.unique(key[order], return_index=True, return_counts=True)
        return cls(cell % people, cell // people, live[order], start, size)

    def __len__(self) -> int:
        return len(self.person)

    def spread(self, cells: Rows, count: Array) -> Rows:
        """For each of some cells ``count`` of its rows, evenly spread over its prices.

        The rows of all cells one after another; no cell has fewer than its count.
        """
        which = np.repeat(np.arange(len(cells)), count)
        rank = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        size, wanted = self.size[cells][which], np.asarray(count)[which]
        place = self.start[cells][which] + (2 * rank + 1) * size // (2 * wanted)
        rows: Rows = self.rows[place]
        return rows
