"""Dummy records: add made-up records of people who do not exist."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.data.coding import Coding
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.mask import FINITE, chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


@register("dummy-records-v1")
class DummyRecords(Sanitizer):
    """Adds made-up records (dummies) and sorts them in between the true ones.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("dummy-records", people, share=0.4, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [21, 21, 34, 35, 36, 36, 90]

    Parameters
    ----------
    share : how many dummies to add, as a share of the true records.
    draw : "columns" takes each value of a dummy from a random record, another one for each
        column; "domain" draws each value uniformly from the schema: numbers and times
        between their bounds.
    """

    share: Annotated[float, Field(ge=0, le=100)] = 0.1
    draw: Literal["columns", "domain"] = "columns"

    @classmethod
    def examples(cls) -> list[Self]:
        """Dummies with values of the data, and with values of the schema."""
        return [cls(), cls(draw="domain", share=2)]

    def tells_origins(self) -> bool:
        """Yes: a dummy has none, and every other record is unchanged."""
        return True

    def require(self, schema: Schema) -> None:
        """Values of the schema can be drawn only from a finite domain or between bounds."""
        super().require(schema)
        if self.draw == "domain":
            chosen_columns(self.id, schema, schema.names, lambda c: c.bounded, FINITE)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Add the dummies and sort all records, so that the order reveals no dummy."""
        table = as_table(data)
        self.require(table.schema)
        added = round(self.share * len(table))
        mixed = table.concat(self._dummies(table, added, rng, noise))
        method = Method(
            name="dummy record addition",
            rows=added,
            detail=f"{added} made-up records, drawn from the {self.draw}, column by column",
        )
        order = mixed.order()
        origins = np.where(order < len(table), order, -1)
        return Sanitized(Release(mixed.take(order), methods=(method,)), Trace(origins=origins))

    def _dummies(self, table: Table, count: int, rng: np.random.Generator, noise: Noise) -> Table:
        if self.draw == "columns":
            drawn = {n: a[noise.integers(len(table), count)] for n, a in table.columns.items()}
            return Table(table.schema, drawn)
        coding = Coding.of(table.schema, missing_code=False)
        columns = coding.coded.columns
        codes = {c.name: noise.integers(c.size + c.nullable, count) - c.nullable for c in columns}
        return coding.decode(Table(coding.coded, codes), rng)
