"""Aggregates: a person as one row, so that whatever reads tables can read people.

Which aggregates there are is decided by all sides together, without knowing who is on which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np

from quintain.data.arrays import MISSING_TIME, Floats, Rows
from quintain.data.column import Column
from quintain.data.people import Branch, People
from quintain.data.people_schema import TableSchema
from quintain.data.schema import Schema
from quintain.data.table import Table

MOST = 24
"""The largest number of aggregates; those of the first columns of each table come first."""
COMMON = 4
"""For so many values of a category, the share of a person's rows that has them."""
_DAY = 86_400


def aggregate(*sides: People, most: int = MOST) -> list[Table]:
    """One row per person for each side: numbers of rows, means, extremes, modes, shares.

    A person without rows in a table has no values there.

    Parameters
    ----------
    most : the largest number of aggregates.

    >>> schema = Schema(columns=(Column(name="ward", kind="category", values=("a", "b")),
    ...                          Column(name="dose", kind="integer", low=0, high=9)))
    >>> rows = Table.of(schema, {"ward": ["a", "b", "b"], "dose": [2, 4, 9]})
    >>> (table,) = aggregate(People.of_rows(rows, np.array([0, 0, 1]), 2))
    >>> table.schema.names[:4], table.records()[0]["mean of dose"]
    (('number of rows', 'different ward', 'most frequent ward', 'share of ward b'), 3.0)
    """
    columns: list[Column] = []
    contents: list[list[Floats | Rows]] = []
    for name, values, per_side in _every(sides):
        if len(columns) == most:
            break
        columns.append(_column(name, values, per_side))
        contents.append(list(per_side))
    schema = Schema(columns=tuple(columns))
    return [
        Table(schema, {c.name: content[i] for c, content in zip(columns, contents, strict=True)})
        for i in range(len(sides))
    ]


Aggregate = tuple[str, tuple[str, ...], Sequence[Floats | Rows]]
"""A name, the categories if it is one, and the values on each side."""


def _column(name: str, values: tuple[str, ...], per_side: Sequence[Floats | Rows]) -> Column:
    if values:
        return Column(name=name, kind="category", values=values, nullable="" not in values)
    together = np.concatenate(per_side)
    there = together[np.isfinite(together)]
    low, high = (float(there.min()), float(there.max())) if len(there) else (0.0, 0.0)
    return Column(name=name, kind="real", low=low, high=high, nullable=True)


def _every(sides: Sequence[People]) -> Iterator[Aggregate]:
    """All aggregates, column by column; of several tables, one of each in turn."""
    tables = [_of_table(table, sides) for table in sides[0].schema.tables]
    for row in zip_longest(*tables):
        yield from (aggregate for aggregate in row if aggregate is not None)


def _of_table(table: TableSchema, sides: Sequence[People]) -> Iterator[Aggregate]:
    """The aggregates of one table; one row per person is taken as it is."""
    branches = [side.tables[table.name] for side in sides]
    where = f" of {table.name}" if len(sides[0].tables) > 1 else ""
    columns = [c for c in branches[0].rows.schema.columns if not c.identifying]
    if table.reference is None:
        for column in columns:
            name, values, per_side = _of_root(column, branches)
            yield name + where, values, per_side
        return
    yield f"number of {table.name}", (), [b.lengths().astype(np.float64) for b in branches]
    for column in columns:
        make = _of_categories if column.listed else _of_numbers
        for name, values, per_side in make(column, branches):
            yield name + where, values, per_side


def _of_root(column: Column, branches: Sequence[Branch]) -> Aggregate:
    """The only value of each person."""
    if not column.listed:
        sides = [_Numbers.of(branch, column) for branch in branches]
        return column.name, (), [side.last() for side in sides]
    codes = [np.full(branch.people, -1) for branch in branches]
    for code, branch in zip(codes, branches, strict=True):
        there = branch.person >= 0
        code[branch.person[there]] = branch.rows.columns[column.name][there]
    return column.name, column.values, codes


def _of_categories(column: Column, branches: Sequence[Branch]) -> Iterator[Aggregate]:
    """How many different values, which is most frequent, and the shares of common ones."""
    size = len(column.values)
    counts = [branch.counts(branch.rows.columns[column.name], size) for branch in branches]
    yield (
        f"different {column.name}",
        (),
        [np.diff(count.indptr).astype(np.float64) for count in counts],
    )
    modes = []
    for count in counts:
        person = np.repeat(np.arange(count.shape[0]), np.diff(count.indptr))
        order = np.lexsort(
            (-count.indices, count.data, person)
        )  # the last one of a person is theirs
        mode = np.full(count.shape[0], -1)
        mode[person[order]] = count.indices[order]
        modes.append(mode)
    yield f"most frequent {column.name}", column.values, modes
    total = sum(np.asarray(count.sum(axis=0)).ravel() for count in counts)
    for value in np.argsort(-np.asarray(total), kind="stable")[:COMMON]:
        shares = [
            count[:, [value]].toarray().ravel() / np.maximum(count.sum(axis=1), 1)
            for count in counts
        ]
        yield f"share of {column.name} {column.values[value]}", (), shares


def _of_numbers(column: Column, branches: Sequence[Branch]) -> Iterator[Aggregate]:
    """The mean, the extremes, the spread and the last of the numbers or days of a person."""
    sides = [_Numbers.of(branch, column) for branch in branches]
    yield f"mean of {column.name}", (), [side.mean() for side in sides]
    yield f"smallest {column.name}", (), [side.smallest() for side in sides]
    yield f"largest {column.name}", (), [-side.negative().smallest() for side in sides]
    yield f"spread of {column.name}", (), [side.spread() for side in sides]
    if branches[0].order:
        yield f"last {column.name}", (), [side.last() for side in sides]


class _Numbers:
    """The numbers of a column with their persons, in the order of the rows of a person."""

    def __init__(self, person: Rows, values: Floats, people: int) -> None:
        self.person, self.values, self.people = person, values, people

    @classmethod
    def of(cls, branch: Branch, column: Column) -> _Numbers:
        """The numbers that are not missing; times in days."""
        rows = branch.index().order
        if column.temporal:
            times = branch.rows.columns[column.name]
            values = np.where(times == MISSING_TIME, np.nan, times / _DAY)
        else:
            values = branch.rows.numbers(column.name)
        there = rows[~np.isnan(values[rows])]
        return cls(branch.person[there], values[there], branch.people)

    def mean(self) -> Floats:
        counts = np.bincount(self.person, minlength=self.people)
        sums = np.bincount(self.person, self.values, self.people)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def smallest(self) -> Floats:
        least = np.full(self.people, np.inf)
        np.minimum.at(least, self.person, self.values)
        return np.where(np.isfinite(least), least, np.nan)

    def negative(self) -> _Numbers:
        return _Numbers(self.person, -self.values, self.people)

    def spread(self) -> Floats:
        away = (self.values - self.mean()[self.person]) ** 2
        return np.sqrt(_Numbers(self.person, away, self.people).mean())

    def last(self) -> Floats:
        last = np.full(self.people, np.nan)
        last[self.person] = self.values  # of several values, the last one stays
        return last
