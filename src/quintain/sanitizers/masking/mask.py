"""Masking: change values record by record, and hide the order of the records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Array
from quintain.noise import Noise
from quintain.releases import Claim, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.columns import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


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

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The names of the columns to change."""
        return chosen_columns(self.id, schema, self.columns, self.fits, self.need)

    def require(self, schema: Schema) -> None:
        """Every named column must exist and fit; without names, at least one column must fit."""
        super().require(schema)
        self.chosen(schema)

    def claimed(self, schema: Schema, names: tuple[str, ...]) -> Claim | None:
        """The privacy claimed for the release; most masking claims none."""
        return None

    def tells_origins(self) -> bool:
        """Yes: every released record is a private record with other values."""
        return True

    def rows_changed(self, before: Table, after: Table) -> int:
        """About how many records changed."""
        return changed_rows(before, after)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change the values, then sort the records."""
        table = as_table(data)
        names = self.chosen(table.schema)
        masked = table.replace(self.mask(table, names, rng=rng, noise=noise))
        method = Method(
            name=self.method,
            columns=names,
            rows=self.rows_changed(table, masked),
            detail=self.detail(),
        )
        claim = self.claimed(table.schema, names)
        order = masked.order()
        return Sanitized(Release(masked.take(order), claim, (method,)), Trace(origins=order))


def changed_rows(before: Table, after: Table) -> int:
    """How many records differ from the record in the same row before."""
    differs = np.zeros(len(before), bool)
    for name in before.schema.names:
        old, new = before.columns[name], after.columns[name]
        same = old == new
        if old.dtype.kind == "f":
            same |= np.isnan(old) & np.isnan(new)
        differs |= ~same
    return int(differs.sum())
