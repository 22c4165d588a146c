"""Column choice: the columns that a sanitizer works on, and why it refuses others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema
from quintain.data.arrays import Array
from quintain.data.schema import ColumnNames as ColumnNames
from quintain.errors import PartError

FINITE = "a finite domain or bounds"
"""What a column needs if its values are drawn from a list or from bins."""


def numeric(column: Column) -> bool:
    """Whether a column holds numbers that can be added and compared."""
    return column.kind in ("integer", "real")


def has_order(column: Column) -> bool:
    """Whether the values of a column have ranks: numbers, times and ordered categories."""
    return numeric(column) or column.ordered or column.kind == "time"


def chosen_columns(
    part: str,
    schema: Schema,
    names: tuple[str, ...] | None,
    fits: Callable[[Column], bool] = lambda _: True,
    need: str = "a value",
) -> tuple[str, ...]:
    """The named columns, or all that fit if none is named; refuse a column that does not fit.

    >>> from quintain.testing.examples import TABLE
    >>> chosen_columns("noise", TABLE, None, numeric, "a number")
    ('size',)
    >>> chosen_columns("noise", TABLE, ("flag",), numeric, "a number")
    Traceback (most recent call last):
    ...
    quintain.errors.PartError: noise needs a number; 'flag' has none
    """
    if names is None:
        fitting = tuple(column.name for column in schema.columns if fits(column))
        if not fitting:
            raise PartError(f"{part} needs {need}; no column has one")
        return fitting
    for name in names:
        if name not in schema:
            raise PartError(
                f"{part}: unknown column {name!r}; available: {', '.join(schema.names)}"
            )
        if not fits(schema[name]):
            advice = schema.select([name]).unbounded_advice() if need == FINITE else ""
            more = f": {advice}, or name other columns" if advice else ""
            raise PartError(f"{part} needs {need}; {name!r} has none{more}")
    return names


def as_stored(column: Column, numbers: npt.NDArray[np.float64]) -> Array:
    """Plain numbers as a numeric column stores them; integers are rounded, half to even."""
    if column.kind == "real":
        return numbers
    missing = np.isnan(numbers)
    codes = np.rint(np.where(missing, column.offset - 1, numbers)).astype(np.int64)
    return codes - column.offset
