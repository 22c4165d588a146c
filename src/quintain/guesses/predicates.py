"""Predicates: descriptions such as "aged 83 and divorced", as plain rows of a table.

A predicate is one or more conditions, which share its number. A condition names a column and the
values from one end to the other, both included. Nothing else can be said, so a predicate from a
stranger is safe to evaluate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Array, Mask, Rows
from quintain.data.codec import missing_cells, parse_texts
from quintain.errors import Faults


class Condition(NamedTuple):
    """The values of one column from ``low`` to ``high``, as files write them.

    An empty end has no limit. If both ends are empty, the value is missing.
    """

    column: str
    low: str
    high: str


Predicate = Sequence[Condition]


def predicate_schema(data: Schema) -> Schema:
    """The columns of a file with predicates: one row per condition."""
    names = tuple(column.name for column in data.attributes)
    return Schema(
        columns=(
            Column(name="predicate", kind="integer", low=0),
            Column(name="column", kind="category", values=names),
            Column(name="from", kind="id", nullable=True),
            Column(name="to", kind="id", nullable=True),
        )
    )


def predicate_table(predicates: Sequence[Predicate], data: Schema) -> Table:
    """Predicates as a table, numbered from 0.

    >>> from quintain.testing.examples import TABLE
    >>> wanted = [[Condition("size", "8", ""), Condition("flag", "no", "no")]]
    >>> predicate_table(wanted, TABLE).records()[0]
    {'predicate': 0, 'column': 'size', 'from': '8', 'to': None}
    """
    rows = [(number, condition) for number, each in enumerate(predicates) for condition in each]
    columns: dict[str, list[int] | list[str]] = {
        "predicate": [number for number, _ in rows],
        "column": [condition.column for _, condition in rows],
        "from": [condition.low for _, condition in rows],
        "to": [condition.high for _, condition in rows],
    }
    return Table.of(predicate_schema(data), columns)


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """The conditions of a file, read: what each compares, and whether that makes sense.

    Parameters
    ----------
    predicate : the number of the predicate that each condition belongs to.
    column : the number of the column that it is about, among the attributes.
    low, high : the two ends as texts.
    data : the columns of the data.
    """

    predicate: Rows
    column: Rows
    low: Sequence[str]
    high: Sequence[str]
    data: tuple[Column, ...]

    @classmethod
    def of(cls, table: Table, data: Schema) -> Conditions:
        """Read the conditions of a guess about data with these columns."""
        low, high = (table.columns[name].astype(np.str_).tolist() for name in ("from", "to"))
        return cls(
            table.columns["predicate"].astype(np.int64),
            table.columns["column"].astype(np.int64),
            low,
            high,
            data.attributes,
        )

    def faults(self, predicates: int, faults: Faults) -> None:
        """Note every condition that no record can meet or that cannot be read."""
        seen: dict[tuple[int, int], int] = {}
        for row, place in enumerate(
            zip(self.predicate.tolist(), self.column.tolist(), strict=True)
        ):
            line, column = faults.line_of(row), self.data[place[1]] if place[1] >= 0 else None
            if place[0] >= predicates:
                known = f"predicates are numbered 0..{predicates - 1}"
                faults.add(known, line=line, column="predicate", got=str(place[0]))
            if place in seen:
                words = f"line {faults.line_of(seen[place])} has a condition on this column already"
                faults.add(words, line=line, column="column", got=column.name if column else "")
            seen.setdefault(place, row)
            if column is not None:
                self._check_ends(row, column, faults)
        missing = np.setdiff1d(np.arange(predicates), self.predicate)
        if len(missing):
            first = ", ".join(map(str, missing[:5].tolist())) + (" ..." if len(missing) > 5 else "")
            faults.add(f"{len(missing)} of {predicates} predicates are missing: {first}")

    def _check_ends(self, row: int, column: Column, faults: Faults) -> None:
        line, ends = faults.line_of(row), (self.low[row], self.high[row])
        stored, bad = parse_texts(column, list(ends))
        for name, text, wrong in zip(("from", "to"), ends, bad.tolist(), strict=True):
            if wrong and text:
                faults.add(column.expected, line=line, column=name, got=text)
        if not any(ends) and not column.nullable:
            faults.add(f"{column.name} is never missing: give from, to or both", line=line)
        ordered = column.kind != "category" or column.ordered
        if ordered and all(ends) and not bad.any() and stored[0] > stored[1]:
            faults.add(f"no value is from {ends[0]} to {ends[1]}", line=line, column="from")
        if any(ends) and ends[0] != ends[1] and not ordered:
            words = f"the values of {column.name} have no order: write one value as from and as to"
            faults.add(words, line=line, column="to", got=ends[1])

    def matches(self, number: int, table: Table) -> Mask:
        """Which records of a table meet a predicate."""
        out = np.ones(len(table), bool)
        for row in np.flatnonzero(self.predicate == number).tolist():
            column = self.data[int(self.column[row])]
            out &= _within(column, table.columns[column.name], self.low[row], self.high[row])
        return out


def _within(column: Column, contents: Array, low: str, high: str) -> Mask:
    missing = missing_cells(column, contents)
    stored, _ = parse_texts(column, [low or column.missing, high or column.missing])
    ends_missing = missing_cells(column, stored)
    if (not low and not high) or ends_missing.all():
        return missing
    inside = ~missing
    if low:
        inside &= contents >= stored[0]
    if high:
        inside &= contents <= stored[1]
    return np.asarray(inside)
