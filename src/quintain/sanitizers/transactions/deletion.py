"""Deletion: mark rows as deleted; they keep their place and lose their content."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quintain.data import Column, Transactions
from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.errors import PartError


def without_rows(
    data: Transactions, gone: Mask, columns: Mapping[str, Array] | None = None
) -> dict[str, Array]:
    """All columns with some rows deleted: the person is missing, and the other cells are too.

    A column that must not be empty is given its first value instead, which tells as little.

    Parameters
    ----------
    columns : contents of columns that replace those of the data.
    """
    held: dict[str, Array] = {**data.columns, **(columns or {})}
    person = data.person_column.name
    if gone.any() and not data.person_column.nullable:
        raise PartError(
            f"rows cannot be deleted, because {person!r} may not be missing; make the column "
            "nullable, or name the spelling of a deleted row in [files] of the edition"
        )
    out: dict[str, Array] = {
        column.name: np.where(gone, _empty(column, held[column.name]), held[column.name])
        for column in data.schema.columns
        if column.name != person
    }
    out[person] = np.where(gone, "", held[person].astype(np.str_))
    return out


def _empty(column: Column, held: Array) -> float | int | str:
    if column.kind == "real":
        return np.nan if column.nullable else max(0.0, column.low or 0.0)
    if column.kind == "time":
        return MISSING_TIME if column.nullable else 0
    if column.kind == "id":
        return ("" if column.nullable else "0") if held.dtype.kind == "U" else 0
    return -1 if column.nullable else 0
