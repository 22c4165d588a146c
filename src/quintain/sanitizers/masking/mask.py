"""Masking: values change record by record, and the order of the records tells nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import Array
from quintain.noise import Noise
from quintain.releases import Claim, Method, Release, Sanitized
from quintain.sanitizers.masking.columns import ColumnNames, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


class Masking(Sanitizer):
    """A sanitizer that changes values of some columns and leaves the rest as they are.

    Its records come out sorted by what they are after the change. In the order of the input they
    would tell what it hides: the record in the middle of a list sorted by age has the median age,
    whatever age it now says.

    Parameters
    ----------
    columns : the columns it is applied to; all that it can be applied to if not given.
    """

    method: ClassVar[str]
    """What the questionnaire calls it."""
    need: ClassVar[str] = "a value"
    """What a column must have, in an error's words."""

    columns: ColumnNames | None = None

    @abstractmethod
    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> Mapping[str, Array]:
        """The new contents of the chosen columns, as the table holds them."""

    @abstractmethod
    def detail(self) -> str:
        """The parameters, for people."""

    def fits(self, column: Column) -> bool:
        """Whether it can be applied to a column."""
        return True

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns it is applied to."""
        return chosen_columns(self.id, schema, self.columns, self.fits, self.need)

    def claimed(self, schema: Schema, names: tuple[str, ...]) -> Claim | None:
        """What is claimed of the release; most masking claims nothing."""
        return None

    def rows_changed(self, before: Table, after: Table) -> int:
        """About how many records are not what they were."""
        return changed_rows(before, after)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change the values, then forget the order."""
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
        return Sanitized(Release(masked.take(masked.order()), claim, (method,)))


def changed_rows(before: Table, after: Table) -> int:
    """How many records differ from what stood in the same place."""
    differs = np.zeros(len(before), bool)
    for name in before.schema.names:
        old, new = before.columns[name], after.columns[name]
        same = old == new
        if old.dtype.kind == "f":
            same |= np.isnan(old) & np.isnan(new)
        differs |= ~same
    return int(differs.sum())
