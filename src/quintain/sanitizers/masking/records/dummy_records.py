"""Dummy records: add records of people who do not exist."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.masking.columns import FINITE, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


@register("dummy-records-v1")
class DummyRecords(Sanitizer):
    """Adds made-up records and mixes them with the true ones.

    Parameters
    ----------
    share : how many to add, as a share of the records there are.
    draw : "columns" takes each value of a dummy from a record drawn at random, a new one for each
        column; "domain" draws uniformly from the schema.
    """

    share: Annotated[float, Field(ge=0, le=100)] = 0.1
    draw: Literal["columns", "domain"] = "columns"

    @classmethod
    def examples(cls) -> list[Self]:
        """Both ways to make records up."""
        return [cls(), cls(draw="domain", share=2)]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Make records up; all are sorted, so that place does not tell a dummy."""
        table = as_table(data)
        added = round(self.share * len(table))
        mixed = table.concat(self._dummies(table, added, noise))
        method = Method(
            name="dummy record addition",
            rows=added,
            detail=f"{added} records drawn from the {self.draw}, column by column",
        )
        return Sanitized(Release(mixed.take(mixed.order()), methods=(method,)))

    def _dummies(self, table: Table, count: int, noise: Noise) -> Table:
        if self.draw == "columns":
            drawn = {n: a[noise.integers(len(table), count)] for n, a in table.columns.items()}
            return Table(table.schema, drawn)
        names = table.schema.names
        chosen_columns(self.id, table.schema, names, lambda c: c.discrete, FINITE)
        columns = table.schema.columns
        sizes = {c.name: c.size + c.nullable for c in columns}
        return Table(
            table.schema,
            {c.name: noise.integers(sizes[c.name], count) - c.nullable for c in columns},
        )
