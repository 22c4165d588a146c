"""Value shuffling: values of a column change places within their table."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Schema
from quintain.data.arrays import Array
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema
from quintain.data.schema import ColumnNames
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method
from quintain.sanitizers.people.tree_mask import TreeMask, flat_columns
from quintain.sanitizers.shuffling import permutation


@register("value-shuffling-v1")
class ValueShuffling(TreeMask):
    """In each column, the values of some rows change places with each other.

    The rows are chosen by coins, column by column. So every table keeps how often each value
    occurs, and a shuffled value says nothing about its row.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> release = q.sanitize("value-shuffling", example("people"), columns=["visits.ward"], seed=1)
    >>> release.methods[0].name, release.methods[0].columns
    ('value shuffling', ('visits.ward',))

    Parameters
    ----------
    share : the probability that a value changes its place.
    columns : the columns, each written ``TABLE.COLUMN``; all columns if not given.
    """

    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    columns: ColumnNames | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """A tenth of the values of all columns, or all values of one."""
        return [cls(share=0.1), cls(columns=("visits.code",))]

    def require(self, schema: Schema) -> None:
        """Every named column must exist."""
        super().require(schema)
        flat_columns(self.id, PeopleSchema.of_flat(schema), self.columns)

    def change(self, people: People, *, noise: Noise) -> tuple[People, Method]:
        """Choose rows for each column, and permute their values."""
        chosen = flat_columns(self.id, people.schema, self.columns)
        rows = 0
        for table, columns in chosen.items():
            branch, changed = people.tables[table], dict[str, Array]()
            touched = np.zeros(len(branch), bool)
            for column in columns:
                places = np.flatnonzero(noise.bernoulli(self.share, len(branch)))
                values = branch.rows.columns[column.name].copy()
                values[places] = values[places[permutation(len(places), noise)]]
                changed[column.name] = values
                touched[places] = True
            people = people.replace(table, changed)
            rows += int(touched.sum())
        names = tuple(f"{table}.{c.name}" for table, columns in chosen.items() for c in columns)
        detail = f"each value with probability {self.share:g}"
        return people, Method(name="value shuffling", columns=names, rows=rows, detail=detail)
