"""Tree masks: every pseudonym of the release is a private person with some rows changed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Column, Data, Schema, Trees, as_trees
from quintain.data.people import People
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.randomness.noise import Noise
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.mask import chosen_columns
from quintain.sanitizers.sanitizer import Sanitizer


class TreeMask(Sanitizer):
    """Changes rows of people; person i of the release is made from private person i."""

    shapes: ClassVar[tuple[str, ...]] = ("people",)

    def tells_origins(self) -> bool:
        """Every pseudonym is a private person."""
        return True

    @abstractmethod
    def change(self, people: People, *, noise: Noise) -> tuple[People, Method]:
        """The same people with other rows, and what was done to them."""

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change the rows of people."""
        trees = as_trees(data)
        people, method = self.change(trees.people, noise=noise)
        release = Release(Trees.of(people, trees.schema.title), methods=(method,))
        return Sanitized(release, Trace(origins=np.arange(len(trees))))


def flat_columns(
    part: str,
    schema: PeopleSchema,
    names: tuple[str, ...] | None,
    fits: Callable[[Column], bool] = lambda _: True,
    need: str = "a value",
) -> Mapping[str, tuple[Column, ...]]:
    """The columns that are named ``TABLE.COLUMN``, by table; all that fit if none is named."""
    flat = schema.flat()
    columns = [flat[table.flat_name(c.name)] for table in schema.tables for c in table.columns]
    chosen = chosen_columns(part, Schema(columns=tuple(columns)), names, fits, need)
    by_table = {table.name: _columns_of(table, chosen) for table in schema.tables}
    return {name: kept for name, kept in by_table.items() if kept}


def _columns_of(table: TableSchema, chosen: tuple[str, ...]) -> tuple[Column, ...]:
    return tuple(column for column in table.columns if table.flat_name(column.name) in chosen)
