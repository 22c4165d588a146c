"""Observed values: a column as positions in the list of the values that occur in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Codes, Floats, Rows, distinct
from quintain.data.codec import missing_cells, missing_value
from quintain.data.times import in_seconds, in_units, smallest_unit

MOST_DECIMALS = 15
"""Real numbers with more decimals than this are released as they are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """A table in which each cell is the position of its value; -1 is a missing value.

    Parameters
    ----------
    schema : the columns.
    values : by column, the values that occur, in rising order, as the column stores them.
    ranks : one row per column, one column per record.
    """

    schema: Schema
    values: dict[str, Array]
    ranks: Codes

    @classmethod
    def of(cls, table: Table) -> Ranks:
        """Rank the cells of a table.

        >>> from quintain.testing import example_table, people
        >>> Ranks.of(people(example_table())).ranks[:, :4].tolist()
        [[1, 0, 0, 0], [4, 2, 4, 2], [0, 0, 0, 1]]
        """
        values, ranks = {}, np.full((len(table.schema.columns), len(table)), -1, np.int32)
        for row, column in zip(ranks, table.schema.columns, strict=True):
            contents = table.columns[column.name]
            there = ~missing_cells(column, contents)
            values[column.name] = distinct(contents[there])
            row[there] = np.searchsorted(values[column.name], contents[there])
        return cls(table.schema, values, ranks)


def contents_of(column: Column, values: Array, ranks: Codes) -> Array:
    """Positions in the observed values as the contents of a column."""
    if not len(values):
        return np.full(len(ranks), missing_value(column))
    out = values[ranks]
    out[ranks < 0] = missing_value(column)
    return out


@dataclass(frozen=True)
class Distribution:
    """How often each observed value of a column occurs; missing values do not count.

    >>> pay = Column(name="pay", kind="real")
    >>> seen = Distribution(pay, np.array([0.0, 1.5, 4.0]), np.array([2, 1, 1]))
    >>> seen.uniforms(np.array([0, 1, 2]), rng=np.random.default_rng(1)).round(2).tolist()
    [0.26, 0.74, 0.79]
    >>> seen.quantiles(np.array([0.1, 0.5, 0.7, 0.99])).tolist()
    [0.0, 0.8, 2.2, 4.0]
    """

    column: Column
    values: Array
    counts: Rows

    def uniforms(self, ranks: Codes, *, rng: np.random.Generator) -> Floats:
        """A number between 0 and 1 for each rank, uniform over all records.

        Records with the same value share an interval as long as their share; each gets a place in
        it at random.
        """
        share: Floats = self.counts / self.counts.sum()
        begins = np.cumsum(share) - share
        return np.asarray(begins[ranks] + rng.random(len(ranks)) * share[ranks])

    def quantiles(self, places: Floats) -> Array:
        """The values at places between 0 and 1; between two real numbers there are others."""
        ends = np.cumsum(self.counts)
        if not self.column.fractional:
            at = np.searchsorted(ends, places * ends[-1], side="right")
            return np.asarray(self.values[np.minimum(at, len(self.values) - 1)])
        every = np.repeat(self.values, self.counts)
        middles = (np.arange(len(every)) + 0.5) / len(every)
        return self.nearest(np.interp(places, middles, every))

    def nearest(self, numbers: Floats) -> Array:
        """Numbers as the column writes them: whole, or with the decimals of the observed values."""
        return as_written(self.column, numbers, self._decimals)

    @cached_property
    def _decimals(self) -> int | None:
        return count_decimals(self.column, self.values)


def count_decimals(column: Column, values: Array) -> int | None:
    """With how many decimals a column writes its values; None for real numbers with too many."""
    if not column.fractional:
        return 0
    for decimals in range(MOST_DECIMALS + 1):
        if np.array_equal(np.round(values, decimals), values):
            return decimals
    return None


def as_written(column: Column, numbers: Floats, decimals: int | None) -> Array:
    """Numbers as a column writes them: whole, as the start of a unit of time, or rounded."""
    if column.fractional:
        return numbers if decimals is None else np.round(numbers, decimals)
    whole = np.rint(numbers).astype(np.int64)
    if not column.temporal:
        return whole
    unit = smallest_unit(column.time_format)
    return in_seconds(in_units(whole, unit), unit)
