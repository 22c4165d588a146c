"""Reading: a measured number with its interval, its direction and its sample size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from quintain.wording.display import html_table

Direction = Literal["higher", "lower"]
Kind = Literal["interval", "lower-bound", "upper-bound"]

LEVEL = 0.95
"""How often the interval of a reading covers the true value, unless the reading says otherwise."""


def tail(level: float = LEVEL) -> float:
    """The probability that a two-sided interval leaves out at either end.

    >>> tail()
    0.025
    """
    return round((1 - level) / 2, 12)


class Reading(BaseModel):
    """One measured value, always with the interval that it lies in.

    Parameters
    ----------
    value : the measured value; NaN means "not measured" and comes with a ``note``.
    low, high : the ends of the interval that ``method`` gives for the true value; both equal the
        value if it was computed exactly.
    n : how many observations the value rests on.
    better : which direction is better for the people in the data and the users of the release.
    level : how often such an interval, or such a bound, covers the true value.
    kind : an "interval" has two ends. A "lower-bound" says that the true value is at least
        ``value``, and ``high`` is infinite. An "upper-bound" says that it is at most ``value``,
        and ``low`` is minus infinity.

    >>> print(Reading(value=0.7, low=0.55, high=0.82, n=40, better="lower"))
    0.7 [0.55, 0.82]
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    low: float
    high: float
    n: int
    better: Direction
    method: str = ""
    note: str = ""
    level: float = LEVEL
    kind: Kind = "interval"

    @model_validator(mode="before")
    @classmethod
    def _numbers(cls, given: Any) -> Any:
        """JSON writes null for what is not measured and for the open end of a bound."""
        if not isinstance(given, dict):
            return given
        ends = {"lower-bound": ("high", math.inf), "upper-bound": ("low", -math.inf)}
        end, infinite = ends.get(given.get("kind", ""), ("", 0.0))
        absent = {name: math.nan for name in ("value", "low", "high") if given.get(name, 0) is None}
        return given | absent | ({end: infinite} if end in absent else {})

    @classmethod
    def exact(cls, value: float, n: int, better: Direction) -> Reading:
        """A reading whose value was computed from all the data, not estimated from a sample."""
        return cls(value=value, low=value, high=value, n=n, better=better, method="exact")

    @classmethod
    def at_least(
        cls, value: float, n: int, better: Direction, *, method: str, level: float = LEVEL
    ) -> Reading:
        """A one-sided bound: the true value is at least ``value``."""
        return cls(
            value=value,
            low=value,
            high=math.inf,
            n=n,
            better=better,
            method=method,
            level=level,
            kind="lower-bound",
        )

    @classmethod
    def missing(cls, better: Direction, note: str) -> Reading:
        """A reading without a value; the note says why nothing was measured."""
        return cls(value=math.nan, low=math.nan, high=math.nan, n=0, better=better, note=note)

    @property
    def measured(self) -> bool:
        """Whether the reading has a value."""
        return not math.isnan(self.value)

    def _repr_html_(self) -> str:
        facts = f"{self.n} observations, {self.better} is better"
        rows = [("value", str(self)), ("rests on", facts), ("method", self.method)]
        return html_table(("reading", ""), rows, self.note)

    def __str__(self) -> str:
        if not self.measured:
            return f"not measured ({self.note})"
        if self.kind != "interval":
            word = "at least" if self.kind == "lower-bound" else "at most"
            return f"{word} {self.value:.4g}"
        if self.low == self.high:
            return f"{self.value:.4g}"
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


def average(
    readings: Sequence[Reading], within: tuple[float, float] = (-math.inf, math.inf)
) -> Reading:
    """The mean of repeated readings; two or more get a t interval over the repetitions.

    If all repetitions agree, their spread is zero and says nothing, so the mean of their own
    intervals is used instead. ``within`` holds the lowest and highest value that the measure can
    read. One-sided bounds are not averaged: a bound on the mean is not the mean of the bounds.
    """
    first = readings[0]
    if len(readings) == 1:
        return first
    if any(reading.kind != "interval" for reading in readings):
        return Reading.missing(first.better, "bounds of several repetitions are not averaged")
    values = [reading.value for reading in readings]
    if any(math.isnan(value) for value in values):
        if all(not reading.measured and reading.note == first.note for reading in readings):
            return first
        return Reading.missing(first.better, "not measured in every repetition")
    n = sum(reading.n for reading in readings)
    mean = math.fsum(values) / len(values)
    if math.isinf(mean):
        return Reading.exact(mean, n, first.better)
    from scipy.special import stdtrit

    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = float(stdtrit(len(values) - 1, 1 - tail(first.level))) * math.sqrt(
        variance / len(values)
    )
    low, high = mean - half, mean + half
    method = f"t over {len(values)} repetitions"
    if max(values) - min(values) <= 1e-12:
        low = math.fsum(reading.low for reading in readings) / len(readings)
        high = math.fsum(reading.high for reading in readings) / len(readings)
        method = first.method
    return Reading(
        value=mean,
        low=max(low, within[0]),
        high=min(high, within[1]),
        n=n,
        better=first.better,
        method=method,
        level=first.level,
    )
