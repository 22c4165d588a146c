"""Comparable: which columns of the tables an audit can hold beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quintain.audits.results import NotComputed
from quintain.data import Table
from quintain.data.arrays import Array
from quintain.errors import DataError, Fault

_FOREIGN = 0.5
"""If more of a column's released cells than this have unknown values, it cannot be compared."""
_WORTH_SAYING = 0.05
CONSTANT = "it has the same value everywhere"


def no_column(name: str, reason: str) -> NotComputed:
    """Say that a column is left out, and why."""
    return NotComputed(what=f"the column {name!r}", reason=reason)


def comparable(
    tables: Mapping[str, Table],
) -> tuple[list[str], list[NotComputed], list[str]]:
    """Leave out columns that never vary, and those whose released values nobody else has."""
    kept, left_out, limits = [], [], []
    for column in tables["original"].schema.columns:
        name, cells = column.name, [table.columns[column.name] for table in tables.values()]
        if _constant(cells):
            left_out.append(no_column(name, CONSTANT))
            continue
        share, example = 0.0, ""
        if column.kind == "category":
            share, example = _unknown_share(tables, name)
        words = f"{share:.0%} of its released cells have values such as {example!r}, which "
        words += "neither the original nor the control has"
        if share > _FOREIGN:
            left_out.append(no_column(name, f"{words}: are they generalised or spelled otherwise?"))
            continue
        if share > _WORTH_SAYING:
            limits.append(f"The column {name!r} is compared as it is written, but {words}.")
        kept.append(name)
    if not kept:
        reasons = "; ".join(f"{one.what}: {one.reason}" for one in left_out[:20])
        raise DataError([Fault(f"there is no column that the audit can compare. {reasons}")])
    return kept, left_out, limits


def _constant(cells: Sequence[Array]) -> bool:
    first = cells[0][:1]
    same = [(one == first) | ((one != one) & (first != first)) for one in cells]
    return all(bool(np.all(one)) for one in same)


def _unknown_share(tables: Mapping[str, Table], name: str) -> tuple[float, str]:
    """The share of released cells with a value that only the release has, and such a value."""
    values = tables["original"].schema[name].values
    known = np.zeros(len(values) + 1, bool)
    for role, table in tables.items():
        if role != "release":
            known[table.columns[name]] = True
    known[-1] = True  # a missing cell has the code -1
    released = tables["release"].columns[name]
    strange = ~known[released]
    if not strange.any():
        return 0.0, ""
    return float(strange.mean()), values[int(released[strange][0])]
