"""Fitting records: which records of a table meet each of many predicates.

Every condition is a range of ranks: the records of a table are ranked in each column, those whose
value is missing last. The condition that the fewest records meet decides which records are looked
at for the others.
"""

from __future__ import annotations

import numpy as np

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.data.codec import missing_cells, parse_texts
from quintain.guesses.predicates import Conditions


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
        for one in others:
            rank = ranks[int(conditions.column[one])][rows]
            rows = rows[(rank >= first[one]) & (rank < last[one])]
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
    unreadable = missing_cells(column, high) if column.kind == "real" else np.zeros(len(high), bool)
    last[unreadable & ~open_high] = 0  # no number is at most a missing one
    none = missing_cells(column, low) & missing_cells(column, high) | (open_low & open_high)
    return np.where(none, len(values), first), np.where(none, size, last)
