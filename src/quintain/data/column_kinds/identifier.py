"""Id: a text or a number that names somebody and says nothing about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from quintain.data.arrays import Array, Mask
from quintain.data.column import CONTROL, Column, ColumnKind
from quintain.registry import register
from quintain.wording.languages import tell, to_say


@register("id-v1")
class Id(ColumnKind):
    """A text or a number that names a person or a row, and says nothing about anybody.

    >>> Column(name="person", kind="id").expected
    'expected an identifier without control characters'
    """

    turn: ClassVar[int] = 5
    plural: ClassVar[str] = "ids"
    anything: ClassVar[str] = to_say("ids, which are no attributes of a person")
    identifying: ClassVar[bool] = True
    advice: ClassVar[str] = "leave out the ids {}"
    missing: ClassVar[Any] = ""

    def has_bounds(self, column: Column) -> bool:
        """Ids are not cut into bins."""
        return False

    def draw(self, column: Column, size: int, *, rng: np.random.Generator) -> Array:
        """Numbers as texts."""
        return np.char.add("id", rng.integers(10**6, size=size).astype(np.str_))

    def words(self, column: Column) -> str:
        """How messages call a value of this kind."""
        return tell("an identifier without control characters")

    def dtype(self, column: Column, given: Array | None = None) -> np.dtype[Any]:
        """Texts, or numbers where such are given."""
        numbers = given is not None and given.dtype.kind in "iu"
        return np.dtype(np.int64) if numbers else np.dtype(np.str_)

    def parser(self, column: Column) -> Callable[[str], Any]:
        """Any text that is not empty and has no control characters."""
        return lambda text: text if text and not CONTROL.search(text) else None

    def decode(self, column: Column, stored: Array) -> list[Any]:
        """The texts as they are stored."""
        return [None if value == "" else value for value in stored.tolist()]

    def encode(self, column: Column, values: Sequence[Any] | Array) -> Array | None:
        """Numbers stay numbers."""
        if all(isinstance(value, int | np.integer) for value in values):
            return np.array(values, dtype=np.int64)
        return None

    def missing_cells(self, column: Column, stored: Array) -> Mask:
        """Empty texts; a number is never missing."""
        if stored.dtype.kind != "U":
            return np.zeros(len(stored), bool)
        return super().missing_cells(column, stored)
