"""Category: one of the values that the schema lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from quintain.data.arrays import Array
from quintain.data.column import Column, ColumnKind
from quintain.registry import register
from quintain.wording.languages import tell


@register("category-v1")
class Category(ColumnKind):
    """One of the values that the schema lists; they have an order only if the schema says so.

    >>> Column(name="sex", kind="category", values=("f", "m")).expected
    'expected one of 2 values such as f, m'
    """

    turn: ClassVar[int] = 1
    plural: ClassVar[str] = "words"
    listed: ClassVar[bool] = True

    def count_values(self, column: Column) -> int:
        """The length of the list."""
        return len(column.values)

    def example(self) -> Column:
        """A column with three values."""
        return Column(name="colour", kind=self.name(), values=("red", "green", "blue"))

    def draw(self, column: Column, size: int, *, rng: np.random.Generator) -> Array:
        """Each value of the list is as likely."""
        return rng.integers(len(column.values), size=size).astype(np.int32)

    def words(self, column: Column) -> str:
        """How many values there are, and the first three."""
        some = ", ".join(column.values[:3])
        return tell("one of %(n)s values such as %(some)s", n=len(column.values), some=some)

    def parser(self, column: Column) -> Callable[[str], Any]:
        """The place of a text in the list."""
        return {value: code for code, value in enumerate(column.values)}.get

    def decode(self, column: Column, stored: Array) -> list[Any]:
        """The text at each place."""
        names: list[str | None] = [*column.values, None]
        return [names[code] for code in stored.tolist()]
