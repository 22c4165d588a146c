"""Masking: change values of chosen columns record by record, and hide the order of the records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Array
from quintain.data.schema import ColumnNames as ColumnNames
from quintain.errors import PartError, UnknownColumn
from quintain.randomness.noise import Noise
from quintain.releases import Claim, Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer, changed_rows

FINITE = "a finite domain or bounds"
"""What a column needs if its values are drawn from a list or from bins."""


class Masking(Sanitizer):
    """A sanitizer that changes the values of chosen columns and leaves the others as they are.

    The released records are sorted by their new content, because the order of the input can reveal
    old values. If the input is sorted by age, the record in the middle has the median age,
    whatever its released age is.

    Parameters
    ----------
    columns : the columns to change; all that fit if not given.
    """

    method: ClassVar[str]
    """The name of the method in a contest's questionnaire."""
    need: ClassVar[str] = "a value"
    """What a column must have, as an error message says it."""

    columns: ColumnNames | None = None

    @abstractmethod
    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> Mapping[str, Array]:
        """The new contents of the chosen columns, as the table stores them."""

    @abstractmethod
    def detail(self) -> str:
        """The parameters in words."""

    def fits(self, column: Column) -> bool:
        """Whether this sanitizer can change the column."""
        return True

    def choose_columns(self, schema: Schema) -> tuple[str, ...]:
        """The names of the columns to change."""
        return chosen_columns(self.id, schema, self.columns, self.fits, self.need)

    def require(self, schema: Schema) -> None:
        """Every named column must exist and fit; without names, at least one column must fit."""
        super().require(schema)
        self.choose_columns(schema)

    def make_claim(self, schema: Schema, names: tuple[str, ...]) -> Claim | None:
        """The privacy claimed for the release; most masking claims none."""
        return None

    def claim_for(self, schema: Schema) -> Claim | None:
        """The privacy claimed for the columns that it would change."""
        return self.make_claim(schema, self.choose_columns(schema))

    def tells_origins(self) -> bool:
        """Every released record is a private record with other values."""
        return True

    def rows_changed(self, before: Table, after: Table) -> int:
        """About how many records changed."""
        return int(changed_rows(before, after, before.schema.names).sum())

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change the values, then sort the records."""
        table = as_table(data)
        names = self.choose_columns(table.schema)
        masked = table.replace(self.mask(table, names, rng=rng, noise=noise))
        method = Method(
            name=self.method,
            columns=names,
            rows=self.rows_changed(table, masked),
            detail=self.detail(),
        )
        claim = self.make_claim(table.schema, names)
        order = masked.order()
        return Sanitized(Release(masked.take(order), claim, (method,)), Trace(origins=order))


def numeric(column: Column) -> bool:
    """Whether a column holds numbers that can be added and compared."""
    return column.numeric


def has_order(column: Column) -> bool:
    """Whether the values of a column have ranks: numbers, times and ordered categories."""
    return numeric(column) or column.ordered or column.temporal


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
            raise UnknownColumn(
                f"{part}: unknown column {name!r}; available: {', '.join(schema.names)}"
            )
        if not fits(schema[name]):
            advice = schema.select([name]).unbounded_advice() if need == FINITE else ""
            more = f": {advice}, or name other columns" if advice else ""
            raise PartError(f"{part} needs {need}; {name!r} has none{more}")
    return names


def as_stored(column: Column, numbers: npt.NDArray[np.float64]) -> Array:
    """Plain numbers as a numeric column stores them; integers are rounded, half to even."""
    if column.fractional:
        return numbers
    missing = np.isnan(numbers)
    codes = np.rint(np.where(missing, column.offset - 1, numbers)).astype(np.int64)
    return codes - column.offset
