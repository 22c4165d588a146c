"""Predicates: descriptions such as "aged 83 and divorced", as plain rows of a table.

A predicate is one or more conditions, which share its number. A condition names a column and the
values from one end to the other, both included. Nothing else can be said, so a predicate from a
stranger is safe to evaluate.

To find the records that meet many predicates, the records of a table are ranked in each column,
those whose value is missing last: every condition is a range of ranks. The condition that the
fewest records meet decides which records are looked at for the others.
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
from quintain.wording.languages import tell


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
                known = tell("predicates are numbered 0..%(last)s", last=predicates - 1)
                faults.add(known, line=line, column="predicate", got=str(place[0]))
            if place in seen:
                words = tell(
                    "line %(line)s has a condition on this column already",
                    line=faults.line_of(seen[place]),
                )
                faults.add(words, line=line, column="column", got=column.name if column else "")
            seen.setdefault(place, row)
            if column is not None:
                self._check_ends(row, column, faults)
        missing = np.setdiff1d(np.arange(predicates), self.predicate)
        if len(missing):
            first = ", ".join(map(str, missing[:5].tolist())) + (" ..." if len(missing) > 5 else "")
            faults.add(
                tell(
                    "%(n)s of %(predicates)s predicates are missing: %(first)s",
                    n=len(missing),
                    predicates=predicates,
                    first=first,
                )
            )

    def _check_ends(self, row: int, column: Column, faults: Faults) -> None:
        line, ends = faults.line_of(row), (self.low[row], self.high[row])
        stored, bad = parse_texts(column, list(ends))
        for name, text, wrong in zip(("from", "to"), ends, bad.tolist(), strict=True):
            if wrong and text:
                faults.add(column.expected, line=line, column=name, got=text)
        if not any(ends) and not column.nullable:
            faults.add(
                tell("%(name)s is never missing: give from, to or both", name=column.name),
                line=line,
            )
        ordered = not column.listed or column.ordered
        if ordered and all(ends) and not bad.any() and stored[0] > stored[1]:
            faults.add(
                tell("no value is from %(low)s to %(high)s", low=ends[0], high=ends[1]),
                line=line,
                column="from",
            )
        if any(ends) and ends[0] != ends[1] and not ordered:
            words = tell(
                "the values of %(name)s have no order: write one value as from and as to",
                name=column.name,
            )
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


def fitting_records(conditions: Conditions, table: Table) -> list[Rows]:
    """The rows that meet each predicate, in the order of the numbers of the predicates.

    >>> from quintain.guesses.predicates import Condition, predicate_table
    >>> from quintain.testing import example_table
    >>> table = example_table(rows=40)
    >>> wanted = [[Condition("size", "9", "")], [Condition("size", "", "4")]]
    >>> given = Conditions.of(predicate_table(wanted, table.schema), table.schema)
    >>> few, many = fitting_records(given, table)
    >>> few.tolist() == np.flatnonzero(given.matches(0, table)).tolist()
    True
    """
    first, last, ranks, orders = _ranges(conditions, table)
    numbers, where = np.unique(conditions.predicate, return_inverse=True)
    by_predicate = np.argsort(where, kind="stable")
    ends = np.cumsum(np.bincount(where, minlength=len(numbers)))[:-1]
    out = []
    for group in np.split(by_predicate, ends):
        narrow, *others = group[np.argsort((last - first)[group], kind="stable")].tolist()
        rows = orders[int(conditions.column[narrow])][first[narrow] : max(last[narrow], 0)]
        for condition in others:
            rank = ranks[int(conditions.column[condition])][rows]
            rows = rows[(rank >= first[condition]) & (rank < last[condition])]
        out.append(np.sort(rows).astype(np.int64))
    return out


def _ranges(
    conditions: Conditions, table: Table
) -> tuple[Rows, Rows, dict[int, Array], dict[int, Array]]:
    """For each condition the first rank that meets it and the one after the last.

    Then, for each column that has conditions, the rank of each record, and the records by rank.
    """
    first, last = np.zeros((2, len(conditions.column)), np.int64)
    ranks, orders = {}, {}
    for number in np.unique(conditions.column).tolist():
        column, chosen = conditions.data[number], np.flatnonzero(conditions.column == number)
        contents = table.columns[column.name]
        missing = missing_cells(column, contents)
        present = np.flatnonzero(~missing)
        present = present[np.argsort(contents[present], kind="stable")]
        order = np.concatenate([present, np.flatnonzero(missing)]).astype(np.int32)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order), dtype=np.int32)
        ranks[number], orders[number] = rank, order
        ends = _ends(conditions, column, chosen, contents[present], len(order))
        first[chosen], last[chosen] = ends
    return first, last, ranks, orders


def _ends(
    conditions: Conditions, column: Column, chosen: Rows, values: Array, size: int
) -> tuple[Rows, Rows]:
    """The ranges of some conditions on one column, whose present values are given in order."""
    lows, highs = (
        [texts[at] for at in chosen.tolist()] for texts in (conditions.low, conditions.high)
    )
    low, high = (parse_texts(column, [t or column.missing for t in ts])[0] for ts in (lows, highs))
    open_low, open_high = (np.array([not text for text in of]) for of in (lows, highs))
    first = np.where(open_low, 0, np.searchsorted(values, low, "left"))
    last = np.where(open_high, len(values), np.searchsorted(values, high, "right"))
    unreadable = missing_cells(column, high) if column.fractional else np.zeros(len(high), bool)
    last[unreadable & ~open_high] = 0  # no number is at most a missing one
    none = missing_cells(column, low) & missing_cells(column, high) | (open_low & open_high)
    return np.where(none, len(values), first), np.where(none, size, last)
