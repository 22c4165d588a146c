"""Cells: how often combinations of values occur."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.data.table import Table

_SHORT = 1 << 18  # a list of so many cells is quickly made


def cell_keys(table: Table, names: Sequence[str]) -> Rows:
    """One number per row that encodes its values in some discrete columns.

    Equal values give equal numbers, in any table of the same schema. A missing value counts as a
    value. Different values give different numbers. If there are too many combinations for that, two
    of a million rows share a number with a probability below one in ten million.

    >>> from quintain.testing import example_table
    >>> keys = cell_keys(example_table(rows=4), ["colour", "flag"])
    >>> len(keys), keys.dtype.name
    (4, 'int64')
    """
    keys = np.zeros(len(table), np.int64)
    space = 1
    for name in names:
        size, codes = table.schema[name].size + 1, table.columns[name].astype(np.int64) + 1
        space *= size
        keys = keys * size + codes if space < 2**62 else _mix(keys) + codes
    return keys


def cell_counts(table: Table, names: Sequence[str], at: Table) -> Floats:
    """How many rows of ``table`` agree with each row of ``at`` in some columns.

    >>> from quintain.testing import example_table
    >>> table = example_table(rows=50)
    >>> int(cell_counts(table, ["flag"], table.take([0]))[0]) == int(
    ...     (table.columns["flag"] == table.columns["flag"][0]).sum())
    True
    """
    if not names:
        return np.full(len(at), float(len(table)))
    return CellCounts.of(table, names).at(cell_keys(at, names))


@dataclass(frozen=True, slots=True, eq=False)
class CellCounts:
    """How many rows of a table are in each cell of some columns.

    Parameters
    ----------
    keys : the numbers of the cells with rows, in order. None if cells of all numbers are listed.
    counts : how many rows each cell has.
    """

    keys: Rows | None
    counts: Rows

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> CellCounts:
        """Count the rows, in a list of all cells if it is short, or else by sorting."""
        keys = cell_keys(table, names)
        cells = math.prod(table.schema[name].size + 1 for name in names)
        if cells <= max(_SHORT, len(table)):
            return cls(None, np.bincount(keys, minlength=cells))
        return cls(*np.unique(keys, return_counts=True))

    @property
    def cells(self) -> Rows:
        """The numbers of the cells with rows, in order."""
        return np.flatnonzero(self.counts) if self.keys is None else self.keys

    def at(self, wanted: Rows) -> Floats:
        """The number of rows in some cells, named by their numbers."""
        if self.keys is None:
            return self.counts[wanted].astype(np.float64)
        if not len(self.keys):
            return np.zeros(len(wanted))
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[place] == wanted, self.counts[place], 0).astype(np.float64)


def _mix(keys: Rows) -> Rows:
    """Numbers that look random, different for different keys (the end of SplitMix64)."""
    mixed = keys.view(np.uint64).copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed.view(np.int64)
