"""Real: a number that need not be whole."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from quintain.data.arrays import Array, Mask
from quintain.data.column import Column, ColumnKind
from quintain.registry import register
from quintain.wording.languages import in_context, tell

_REAL = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|-?\.[0-9]+(?:[eE][-+]?[0-9]+)?")


@register("real-v1")
class Real(ColumnKind):
    """A number that need not be whole, stored as a float; NaN is a missing value.

    >>> Column(name="pay", kind="real", low=0).expected
    'expected a number of at least 0'
    """

    turn: ClassVar[int] = 3
    plural: ClassVar[str] = "numbers"
    anything: ClassVar[str] = in_context("the values of a column", "real numbers")
    numeric: ClassVar[bool] = True
    cuttable: ClassVar[bool] = True
    in_digits: ClassVar[bool] = True
    advice: ClassVar[str] = "give low and high for {}"
    missing: ClassVar[Any] = math.nan

    def draw(self, column: Column, size: int, *, rng: np.random.Generator) -> Array:
        """Each number between the bounds is as likely; without bounds, they are near 0."""
        low, high = self.bounds(column)
        low = min(-100.0, high or 0.0) if low is None else low
        return rng.uniform(low, max(low, 100.0) if high is None else high, size)

    def words(self, column: Column) -> str:
        """How messages call a value of this kind."""
        return tell("a number")

    def dtype(self, column: Column, given: Array | None = None) -> np.dtype[Any]:
        """A float of 64 bits."""
        return np.dtype(np.float64)

    def parser(self, column: Column) -> Callable[[str], Any]:
        """A number within the bounds; "nan" and "inf" are none."""
        low, high = self.bounds(column)
        low, high = -math.inf if low is None else low, math.inf if high is None else high

        def real(text: str) -> float | None:
            if len(text) > 60 or not _REAL.fullmatch(text):
                return None
            value = float(text)
            return value if math.isfinite(value) and low <= value <= high else None

        return real

    def decode(self, column: Column, stored: Array) -> list[Any]:
        """The numbers, and nothing where one is missing."""
        return [None if math.isnan(value) else value for value in stored.tolist()]

    def spell(self, column: Column, value: Any) -> str:
        """The shortest digits that give this number."""
        return repr(float(value))

    def missing_cells(self, column: Column, stored: Array) -> Mask:
        """Cells that hold no number (NaN)."""
        return np.isnan(stored)
