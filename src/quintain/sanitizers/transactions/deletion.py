"""Deletion: mark rows as deleted; they keep their position and lose their content."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quintain.data import Column, Transactions
from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.errors import PartError


def without_rows(
    data: Transactions, deleted: Mask, columns: Mapping[str, Array] | None = None
) -> dict[str, Array]:
    """All columns after the deletion of rows: their person and their other cells are missing.

    If a column must not be empty, a deleted row gets its first value, which also reveals nothing.

    Parameters
    ----------
    deleted : the mask of the rows to delete.
    columns : contents that replace columns of the data.
    """
    values: dict[str, Array] = {**data.columns, **(columns or {})}
    person = data.person_column.name
    if deleted.any() and not data.person_column.nullable:
        raise PartError(
            f"rows cannot be deleted, because {person!r} may not be missing; make the column "
            "nullable, or name the spelling of a deleted row in [files] of the edition"
        )
    out: dict[str, Array] = {
        column.name: np.where(deleted, _empty(column, values[column.name]), values[column.name])
        for column in data.schema.columns
        if column.name != person
    }
    out[person] = np.where(deleted, "", values[person].astype(np.str_))
    return out


def _empty(column: Column, values: Array) -> float | int | str:
    if column.kind == "real":
        return np.nan if column.nullable else max(0.0, column.low or 0.0)
    if column.kind == "time":
        return MISSING_TIME if column.nullable else 0
    if column.kind == "id":
        return ("" if column.nullable else "0") if values.dtype.kind == "U" else 0
    return -1 if column.nullable else 0
