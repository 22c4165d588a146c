"""People sides: the people of an audit with all their rows, where the data are several tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from quintain.audits.pool import PeoplePool, Pool, RowsOfTable
from quintain.audits.reading.units import Units
from quintain.audits.texts.notes import Notes
from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.data.people import People
from quintain.releases import Release

MOST_ROWS = 100_000
"""Tables with more rows than this on all sides together are too large for attacks on rows."""


@dataclass(frozen=True, slots=True, eq=False)
class TableSides:
    """The rows of one table on all sides, under one schema.

    Parameters
    ----------
    units : for each row the number of its person, or of its pseudonym; -1 if it is nobody's.
    """

    original: Table
    release: Table
    control: Table | None
    units: Units

    @property
    def size(self) -> int:
        """How many rows there are on all sides."""
        sides = self.original, self.release, self.control
        return sum(len(side) for side in sides if side is not None)

    def pool(self, place: Rows, *, rng: np.random.Generator) -> Pool:
        """The rows of original and control in random order, each with the place of its person.

        Parameters
        ----------
        place : for the number of each person the place in the pool of people.
        """
        assert self.control is not None and self.units.control is not None  # a pool has both
        person = np.concatenate([self.units.original, self.units.control])
        order = rng.permutation(np.flatnonzero(person >= 0))
        inside = len(self.original)
        rows = np.where(order < inside, order, order - inside)
        records = self.original.concat(self.control).take(order)
        return Pool(records, order < inside, rows, place[person[order]])


@dataclass(frozen=True, slots=True, eq=False)
class PeopleSides:
    """People and pseudonyms with their rows in all tables.

    Parameters
    ----------
    known : the people of the original, then those of the control.
    shown : the pseudonyms.
    inside : how many people are in the original.
    right : secret: for each person their pseudonym, -1 if there is none; None if nobody knows.
    tables : the rows of each table that attacks compare.
    notes : for each table of people with free texts these texts, and whose each row is; None for
        units if nobody knows. All texts of the release are beside each of them, since it may repeat
        them anywhere.
    """

    known: People
    shown: People
    inside: int
    right: Rows | None
    tables: Mapping[str, TableSides]
    notes: Mapping[str, tuple[Notes, Units | None]]

    def pool(self, pool: Pool) -> PeoplePool:
        """The people in the order of a pool that has one record for each of them."""
        order = self._order(pool)
        right = None if self.right is None else self.right[order]
        return PeoplePool(self.known.take(order), self.shown, pool.members, right)

    def rows(self, pool: Pool, *, rng: np.random.Generator) -> Iterator[tuple[str, RowsOfTable]]:
        """The rows of each table, whose units are places in the pool of people."""
        order = self._order(pool)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        for name, table in self.tables.items():
            rows = table.pool(place, rng=rng) if table.size <= MOST_ROWS else None
            yield name, RowsOfTable(table.size, Release(table.release), rows)

    def _order(self, pool: Pool) -> Rows:
        return np.where(pool.members, pool.rows, pool.rows + self.inside)
