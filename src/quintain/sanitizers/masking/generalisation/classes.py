"""Equivalence classes: the records that are alike in all quasi-identifying columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from quintain.data import Column, Table
from quintain.data.arrays import Array, Mask, Rows
from quintain.data.codec import missing_cells, missing_value
from quintain.sanitizers.masking.mask import has_order

# Distinct values: a column as small numbers, and one value that stands for a group of them.


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


_ROOM = 4
"""Keys are numbered by counting if there are at most this many times as many keys as rows."""

_MANY = 1 << 16
"""From this many rows on, hashing is quicker than sorting."""


def number_rows(columns: Sequence[Rows], sizes: Sequence[int]) -> tuple[Rows, int]:
    """One number per row, equal where all columns are equal, and how many numbers there are.

    ``sizes`` has a bound on the numbers in each column.

    >>> number_rows([np.array([0, 1, 0, 1]), np.array([2, 0, 2, 1])], [2, 3])
    (array([0, 1, 0, 2]), 3)
    """
    keys, bound = np.zeros(len(columns[0]), np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        if bound * size >= 2**62:
            keys, bound = _renumber(keys, bound)
        keys, bound = keys * size + column, bound * size
    return _renumber(keys, bound)


def _renumber(keys: Rows, bound: int) -> tuple[Rows, int]:
    if bound <= _ROOM * len(keys):
        present = np.bincount(keys, minlength=bound) > 0
        return (np.cumsum(present) - 1)[keys], int(present.sum())
    if len(keys) < _MANY:
        distinct, numbers = np.unique(keys, return_inverse=True)
        return numbers, len(distinct)
    encoded = pa.array(keys).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of every row, and what the rows have in the sensitive columns.

    Parameters
    ----------
    label : the class of every row, numbered from 0.
    count : how many classes there are.
    weight : how many records each row stands for.
    sensitive : for each sensitive column the code of every row.
    """

    label: Rows
    count: int
    weight: Rows
    sensitive: tuple[Rows, ...] = ()

    @cached_property
    def sizes(self) -> Rows:
        """How many records each class has."""
        return _sum_weights(self.label, self.weight, self.count)

    def only(self, classes: Mask) -> Classes:
        """The rows of some classes, which are numbered anew."""
        rows = classes[self.label]
        label = (np.cumsum(classes) - 1)[self.label[rows]]
        sensitive = tuple(codes[rows] for codes in self.sensitive)
        return Classes(label, int(classes.sum()), self.weight[rows], sensitive)

    def shares(self, column: int, groups: Rows | None = None) -> Shares:
        """How often each value of a sensitive column, or each group of values, is in each class."""
        codes = self.sensitive[column] if groups is None else groups[self.sensitive[column]]
        bound = int(codes.max(initial=0)) + 1
        keys, place = np.unique(self.label * bound + codes, return_inverse=True)
        counts = _sum_weights(place, self.weight, len(keys))
        return Shares(keys // bound, keys % bound, counts, self.sizes, bound)


@dataclass(frozen=True, eq=False)
class Shares:
    """The values that occur in each class, sorted by class and value, and how often they do.

    Parameters
    ----------
    label, value, count : one item for each value of each class.
    sizes : how many records each class has.
    bound : a bound on the values.
    """

    label: Rows
    value: Rows
    count: Rows
    sizes: Rows
    bound: int

    @cached_property
    def share(self) -> Array:
        """The share of each value in its class."""
        shares: Array = self.count / self.sizes[self.label]
        return shares

    @cached_property
    def overall(self) -> Array:
        """The share of each value in all classes together."""
        counts = np.bincount(self.value, self.count, minlength=self.bound)
        return np.asarray(counts / self.sizes.sum())

    def total(self, terms: Array) -> Array:
        """The sum of a term for each value, class by class."""
        return np.bincount(self.label, terms, minlength=len(self.sizes))


def _sum_weights(label: Rows, weight: Rows, count: int) -> Rows:
    """Sums of whole numbers; floats are exact up to 2**53 records."""
    return np.bincount(label, weight, minlength=count).astype(np.int64)
