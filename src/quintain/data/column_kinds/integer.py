"""Integer: a whole number, stored as a code if it has bounds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from quintain.data.arrays import Array, Mask
from quintain.data.column import LARGEST_DOMAIN, Column, ColumnKind
from quintain.registry import register
from quintain.wording.languages import in_context, tell

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")


@register("integer-v1")
class Integer(ColumnKind):
    """A whole number; with bounds that are not too far apart, its values are listed as codes.

    >>> Column(name="age", kind="integer", low=0, high=120).expected
    'expected an integer in 0..120'
    """

    turn: ClassVar[int] = 2
    plural: ClassVar[str] = "whole numbers"
    anything: ClassVar[str] = in_context("the values of a column", "whole numbers")
    numeric: ClassVar[bool] = True
    whole: ClassVar[bool] = True
    cuttable: ClassVar[bool] = True
    in_digits: ClassVar[bool] = True
    advice: ClassVar[str] = "give low and high for {}"

    def check(self, column: Column) -> None:
        """Only codes leave room for a missing value, and bounds are whole numbers."""
        if column.nullable and not self.has_codes(column):
            raise ValueError(
                f"{column.name!r} is a nullable integer, so it needs low and high, less than "
                f"{LARGEST_DOMAIN} apart"
            )
        for bound in (column.low, column.high):
            if bound is not None and bound != int(bound):
                raise ValueError(f"{column.name!r} is an integer, so its bound cannot be {bound}")

    def has_codes(self, column: Column) -> bool:
        """Whether it has both bounds, and these are not too far apart."""
        if column.low is None or column.high is None:
            return False
        return column.high - column.low < LARGEST_DOMAIN

    def count_values(self, column: Column) -> int:
        """The number of whole numbers between the bounds."""
        if column.low is None or column.high is None:
            return super().count_values(column)
        return int(column.high) - int(column.low) + 1

    def offset(self, column: Column) -> int:
        """The smallest number allowed, if there is one."""
        return int(column.low) if column.low is not None else 0

    def example(self) -> Column:
        """A column with bounds, so that a value may be missing."""
        return Column(name="size", kind=self.name(), low=-2, high=9)

    def draw(self, column: Column, size: int, *, rng: np.random.Generator) -> Array:
        """Each number between the bounds is as likely; without bounds, they are near 0."""
        low, high = self.bounds(column)
        low = int(-100 if low is None else low)
        high = int(max(low, 100) if high is None else high)
        drawn = rng.integers(min(low, high), high + 1, size=size) - self.offset(column)
        return drawn.astype(self.dtype(column))

    def words(self, column: Column) -> str:
        """How messages call a value of this kind."""
        return tell("an integer")

    def parser(self, column: Column) -> Callable[[str], Any]:
        """A whole number, less the offset: "40.0", "+5", " 5" and "007" are none."""
        low, high = self.bounds(column)
        low, high = -math.inf if low is None else low, math.inf if high is None else high
        offset = self.offset(column)

        def integer(text: str) -> int | None:
            if not _INTEGER.fullmatch(text) or text == "-0":
                return None
            value = int(text)
            return value - offset if low <= value <= high else None

        return integer

    def decode(self, column: Column, stored: Array) -> list[Any]:
        """The numbers; a code below 0 is a missing value."""
        offset = self.offset(column)
        if self.has_codes(column):
            return [None if code < 0 else code + offset for code in stored.tolist()]
        return [value + offset for value in stored.tolist()]

    def spell(self, column: Column, value: Any) -> str:
        """The digits; a float that is a whole number has no point."""
        if isinstance(value, float | np.floating):
            return str(int(value)) if math.isfinite(value) and value == int(value) else str(value)
        return str(value)

    def missing_cells(self, column: Column, stored: Array) -> Mask:
        """Codes below 0; without codes, -1 is a number like any other."""
        if stored.dtype.kind == "f":
            return np.isnan(stored)
        if not self.has_codes(column):
            return np.zeros(len(stored), bool)
        return super().missing_cells(column, stored)
