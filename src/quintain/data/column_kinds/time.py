"""Time: a moment, written in the format that the schema names."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, ClassVar

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array
from quintain.data.column import Column, ColumnKind
from quintain.data.times import in_seconds, in_units, parse_time, smallest_unit
from quintain.registry import register
from quintain.wording.languages import in_context, tell

_YEARS = 50 * 365 * 86_400
"""The seconds of fifty years."""


@register("time-v1")
class Time(ColumnKind):
    """A moment in the format that the schema names, stored as seconds since 1970 UTC.

    >>> Column(name="born", kind="time", earliest="1900-01-01").expected
    'expected a time written %Y-%m-%d of at least 1900-01-01'
    """

    turn: ClassVar[int] = 4
    plural: ClassVar[str] = "times"
    anything: ClassVar[str] = in_context("the values of a column", "times")
    temporal: ClassVar[bool] = True
    cuttable: ClassVar[bool] = True
    advice: ClassVar[str] = "give earliest and latest for {}"
    missing: ClassVar[Any] = MISSING_TIME

    def check(self, column: Column) -> None:
        """Both bounds are written in its format, and in order."""
        for field in ("earliest", "latest"):
            text = getattr(column, field)
            if text is not None and parse_time(text, column.time_format) is None:
                raise ValueError(
                    f"{column.name!r}: {field} = {text!r} is not a time written "
                    f"{column.time_format}"
                )
        first, last = self.bounds(column)
        if first is not None and last is not None and first > last:
            raise ValueError(
                f"{column.name!r}: earliest {column.earliest} is after {column.latest}"
            )

    def bounds(self, column: Column) -> tuple[float | None, float | None]:
        """Both bounds in seconds since 1970."""
        first, last = (
            None if text is None else parse_time(text, column.time_format)
            for text in (column.earliest, column.latest)
        )
        return first, last

    def draw(self, column: Column, size: int, *, rng: np.random.Generator) -> Array:
        """Each unit of the format between the bounds is as likely; without bounds, since 1970."""
        unit = smallest_unit(column.time_format)
        low, high = self.bounds(column)
        low = 0 if low is None else low
        ends = [low, max(low, _YEARS) if high is None else high]
        first, last = in_units(np.array(ends, np.int64), unit).tolist()
        return in_seconds(rng.integers(min(first, last), last + 1, size=size), unit)

    def words(self, column: Column) -> str:
        """A time, and its format."""
        return tell("a time written %(form)s", form=column.time_format)

    def limits(self, column: Column) -> tuple[float | str | None, float | str | None]:
        """Both bounds as the schema writes them."""
        return column.earliest, column.latest

    def parser(self, column: Column) -> Callable[[str], Any]:
        """The seconds of a time in this format and within the bounds."""
        first, last = self.bounds(column)
        first = -math.inf if first is None else first
        last = math.inf if last is None else last

        def time(text: str) -> int | None:
            seconds = parse_time(text, column.time_format)
            return seconds if seconds is not None and first <= seconds <= last else None

        return time

    def decode(self, column: Column, stored: Array) -> list[Any]:
        """The moments, in UTC."""
        return [
            None if t == MISSING_TIME else datetime.fromtimestamp(t, UTC) for t in stored.tolist()
        ]

    def spell(self, column: Column, value: Any) -> str:
        """The moment in the format; a text stays as it is."""
        return value if isinstance(value, str) else str(value.strftime(column.time_format))

    def format(self, column: Column, stored: Array) -> list[str]:
        """Each distinct moment is written once: dates repeat a lot, and writing one is slow."""
        distinct, where = np.unique(stored, return_inverse=True)
        texts = super().format(column, distinct)
        return [texts[at] for at in where.tolist()]
