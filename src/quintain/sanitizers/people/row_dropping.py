"""Row dropping: some rows of everybody are left out, with all that belongs to them."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Schema
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema
from quintain.data.schema import ColumnNames
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method
from quintain.sanitizers.people.tree_mask import TreeMask


@register("row-dropping-v1")
class RowDropping(TreeMask):
    """Leaves out each row with the same probability; what belongs to it goes with it.

    Nobody is left out: the table with one row per person stays whole, and somebody may be left with
    that row alone.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> q.sanitize("row-dropping", example("people"), share=0.5, seed=1).data
    <Trees of 20 persons: patients 20 rows, visits 43 rows, prescriptions 24 rows>

    Parameters
    ----------
    share : the probability that a row is left out.
    tables : the tables whose rows are left out; all but the one with one row per person.
    """

    share: Annotated[float, Field(ge=0, le=1)] = 0.3
    tables: ColumnNames | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """A third of the rows of all tables, or half of those of one."""
        return [cls(), cls(share=0.5, tables=("prescriptions",))]

    def require(self, schema: Schema) -> None:
        """Every named table must exist and have several rows per person."""
        super().require(schema)
        self._tables_of(PeopleSchema.of_flat(schema))

    def _tables_of(self, schema: PeopleSchema) -> tuple[str, ...]:
        several = [table.name for table in schema.tables if table.reference is not None]
        for name in self.tables or ():
            if name not in several:
                known = ", ".join(several)
                raise PartError(f"{self.id}: no table {name!r} of several rows; available: {known}")
        return self.tables or tuple(several)

    def change(self, people: People, *, noise: Noise) -> tuple[People, Method]:
        """Toss a coin for every row."""
        kept = {
            name: ~noise.bernoulli(self.share, len(people.tables[name]))
            for name in self._tables_of(people.schema)
        }
        fewer = people.keep({name: np.asarray(mask) for name, mask in kept.items()})
        rows = sum(len(people.tables[name]) - len(fewer.tables[name]) for name in people.tables)
        detail = f"each row with probability {self.share:g}"
        return fewer, Method(name="row dropping", columns=tuple(kept), rows=rows, detail=detail)
