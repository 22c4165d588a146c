"""Distinct values: a column as small numbers, and one value that stands for a group of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data import Column, Table
from quintain.data.arrays import Array, Mask, Rows
from quintain.data.codec import missing_cells, missing_value
from quintain.sanitizers.masking.columns import has_order


@dataclass(frozen=True, slots=True, eq=False)
class DistinctValues:
    """The distinct values of a column in ascending order, and the number of each record's value.

    Parameters
    ----------
    column : the column.
    values : the values that occur, as a table stores them, without the missing value.
    codes : for every record the place of its value in ``values``, or ``len(values)`` if it is
        missing.
    """

    column: Column
    values: Array
    codes: Rows

    @classmethod
    def of(cls, table: Table, name: str) -> DistinctValues:
        """Number the values of a column."""
        column, contents = table.schema[name], table.columns[name]
        missing = missing_cells(column, contents)
        values, codes = np.unique(contents[~missing], return_inverse=True)
        every = np.full(len(contents), len(values), np.int64)
        every[~missing] = codes
        return cls(column, values, every)

    @property
    def size(self) -> int:
        """How many codes there are: the values, and one for a missing value."""
        return len(self.values) + 1

    def counts(self) -> Rows:
        """How many records have each code."""
        return np.bincount(self.codes, minlength=self.size)

    def part(self, rows: Mask) -> DistinctValues:
        """The same values, for some of the records."""
        return DistinctValues(self.column, self.values, self.codes[rows])

    def contents(self, codes: Rows) -> Array:
        """What a table stores for these codes."""
        missing = np.array([missing_value(self.column)], self.values.dtype)
        stored: Array = np.append(self.values, missing)[codes]
        return stored

    def representatives(self, label: Rows, count: int) -> Rows:
        """For each class the code that stands for the values of its records.

        It is the median of numbers, times and ordered categories, and the most frequent value of
        other categories. A class of which more than half is missing is missing. ``label`` has the
        class of every record, and every class below ``count`` has a record.
        """
        order = np.argsort(label * self.size + self.codes, kind="stable")
        codes, label = self.codes[order], label[order]
        records = np.bincount(label, minlength=count)
        present = np.bincount(label[codes < len(self.values)], minlength=count)
        first = np.cumsum(records) - records
        if has_order(self.column):
            chosen = codes[first + np.maximum(present - 1, 0) // 2]
        else:
            chosen = _most_frequent(label, codes, len(self.values), count)
        return np.where(2 * present < records, len(self.values), chosen)


def _most_frequent(label: Rows, codes: Rows, missing: int, count: int) -> Rows:
    """The most frequent code of each class but the missing one; sorted by class, then by code."""
    label, codes = label[codes < missing], codes[codes < missing]
    starts = np.flatnonzero(np.diff(label, prepend=-1) | np.diff(codes, prepend=-1))
    runs = np.diff(np.append(starts, len(label)))
    best = np.lexsort((-codes[starts], runs, label[starts]))  # the last of a class has most
    chosen = np.full(count, missing, np.int64)
    chosen[label[starts][best]] = codes[starts][best]
    return chosen
