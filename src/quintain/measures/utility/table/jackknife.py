"""Jackknife: how far a number would vary with other people, from leaving out groups of them.

Tables are compared in the same few classes of the original.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data import Data, Table, as_table
from quintain.data.arrays import Codes, Ints
from quintain.kernels.value_classes import ValueClasses
from quintain.measures.reading import Direction, Reading, tail

GROUPS = 10
"""How many groups of records are left out, one after another."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedTables:
    """Two tables in classes of the original.

    Parameters
    ----------
    classes : how each column is put into classes.
    original, release : one row of codes per column.
    """

    classes: tuple[ValueClasses, ...]
    original: Codes
    release: Codes

    @classmethod
    def of(cls, original: Data, release: Data, most: int) -> CodedTables:
        """Put all columns of both tables into at most so many classes of the original.

        The records are sorted, so that nothing drawn for them depends on their order.
        """
        tables = [_sort_rows(as_table(data)) for data in (original, release)]
        names = [c.name for c in tables[0].schema.attributes]
        classes = tuple(ValueClasses.of(tables[0], name, most) for name in names)
        first, second = (np.stack([c.encode(table) for c in classes]) for table in tables)
        return cls(classes, first, second)

    @property
    def sizes(self) -> list[int]:
        """The number of classes of each column."""
        return [column.size for column in self.classes]

    @property
    def n(self) -> int:
        """The number of records in both tables."""
        return int(self.original.shape[1] + self.release.shape[1])

    def group(self, *, rng: np.random.Generator) -> tuple[GroupedCodes, GroupedCodes]:
        """Both tables with a random group for each record."""
        first, second = (
            GroupedCodes(codes, groups_of(codes.shape[1], rng=rng), self.sizes)
            for codes in (self.original, self.release)
        )
        return first, second


@dataclass(frozen=True, slots=True, eq=False)
class GroupedCodes:
    """A coded table whose records are in groups, for a jackknife."""

    codes: Codes
    group: Ints
    sizes: list[int]

    def counts(self, chosen: tuple[int, ...]) -> Ints:
        """Counts of all combinations in some columns.

        The first row has those of all records, each further row those without one group.
        """
        cell = np.zeros(self.codes.shape[1], np.int64)
        for column in chosen:
            cell = cell * self.sizes[column] + self.codes[column]
        cells, groups = math.prod(self.sizes[c] for c in chosen), int(self.group.max()) + 1
        keys = self.group * cells + cell
        by_group = np.bincount(keys, minlength=groups * cells).reshape(groups, cells)
        total = by_group.sum(axis=0)
        return np.concatenate([total[None], total - by_group])


def _sort_rows(table: Table) -> Table:
    return table.take(table.order())


def groups_of(records: int, *, rng: np.random.Generator, count: int = GROUPS) -> Ints:
    """A random group for every record; the groups have equal sizes, up to one record.

    >>> np.bincount(groups_of(25, rng=np.random.default_rng(0))).tolist()
    [3, 3, 3, 3, 3, 2, 2, 2, 2, 2]
    """
    return rng.permutation(records) % count


def jackknife(
    value: float,
    without: Sequence[float],
    n: int,
    better: Direction,
    *,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Reading:
    """A reading with the interval of the jackknife over groups, and a t distribution.

    Parameters
    ----------
    value : the number with all records.
    without : the number without each of the groups, which are equally large.
    n : how many records there are.
    within : the lowest and the highest possible value.

    The mean of ten numbers has the interval that everybody knows:

    >>> numbers = np.arange(10.0)
    >>> left = [np.delete(numbers, i).mean() for i in range(10)]
    >>> print(jackknife(numbers.mean(), left, 10, "higher"))
    4.5 [2.334, 6.666]
    """
    from scipy.special import stdtrit

    count = len(without)
    mean = math.fsum(without) / count
    variance = (count - 1) / count * math.fsum((estimate - mean) ** 2 for estimate in without)
    half = float(stdtrit(count - 1, 1 - tail())) * math.sqrt(variance)
    return Reading(
        value=value,
        low=max(within[0], value - half),
        high=min(within[1], value + half),
        n=n,
        better=better,
        method=f"jackknife over {count} groups of records",
    )
