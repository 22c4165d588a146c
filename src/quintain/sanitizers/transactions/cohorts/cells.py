"""Cells: the purchases of one person in one month, sorted by price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.kernels.purchases import Purchases, months_of


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """All cells of the purchases, sorted by month, then person; deleted rows belong to no cell.

    Parameters
    ----------
    person : for each cell the position of its person among the persons.
    month : for each cell the months since January 1970.
    rows : the rows of all cells, cell after cell, sorted by price within a cell.
    start, size : for each cell the position of its first row in ``rows``, and its number of rows.
    """

    person: Rows
    month: Rows
    rows: Rows
    start: Rows
    size: Rows

    @classmethod
    def of(cls, bought: Purchases) -> Cells:
        """Group all rows that are not deleted into cells."""
        live = np.flatnonzero(bought.live)
        people = max(len(bought.persons), 1)
        key = months_of(bought.day[live]) * people + bought.person[live]
        order = np.lexsort((bought.price[live], key))
        cell, start, size = np.unique(key[order], return_index=True, return_counts=True)
        return cls(cell % people, cell // people, live[order], start, size)

    def __len__(self) -> int:
        return len(self.person)

    def spread(self, cells: Rows, count: Array) -> Rows:
        """For each of these cells ``count`` of its rows, evenly spread over its prices.

        The result lists the rows cell after cell. Each cell must have at least ``count`` rows.
        """
        which = np.repeat(np.arange(len(cells)), count)
        rank = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        size, wanted = self.size[cells][which], np.asarray(count)[which]
        place = self.start[cells][which] + (2 * rank + 1) * size // (2 * wanted)
        rows: Rows = self.rows[place]
        return rows
