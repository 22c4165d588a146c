"""Axis: maps values to places on a drawing, with round ticks and room for infinity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from quintain.figures.format import number

_ROOM = 38.0
LARGEST = 1e15
"""No scale is stretched to values of this size."""
_SMALLEST = 1e-290
"""A tenth of a smaller number would be rounded to zero."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale; infinite values have their own places beyond its ends.

    Parameters
    ----------
    low, high : the values at its ends.
    start, end : the places of these values on the drawing.
    step : the distance between ticks.
    below, above : the places of minus and plus infinity.
    """

    low: float
    high: float
    start: float
    end: float
    step: float
    below: float
    above: float

    def at(self, value: float) -> float:
        """The place of a value; a value beyond an end is placed at that end."""
        if math.isinf(value):
            return self.above if value > 0 else self.below
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of the ticks, from low to high; infinities too if they have a place."""
        first, last = round(self.low / self.step), round(self.high / self.step)
        digits = max(0, -math.floor(math.log10(self.step) + 1e-9))
        values = [i * self.step for i in range(first, last + 1)]
        out = [(self.below, "−∞")] if self.below != self.start else []
        out += [(self.at(value), number(value, digits)) for value in values]
        return out + ([(self.above, "∞")] if self.above != self.end else [])


def axis(values: Iterable[float], start: float, end: float, ticks: int = 8) -> Axis:
    """An axis that covers all values, between two round numbers, with about ``ticks`` ticks.

    >>> scale = axis([0.1, 0.93], 0, 100)
    >>> scale.low, scale.high, [label for _, label in scale.ticks()]
    (0.0, 1.0, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'])
    """
    seen = [value for value in values if not math.isnan(value)]
    finite = [value for value in seen if drawable(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if high - low < 1e-9 * max(abs(low), abs(high), 1e-3):
        room = 0.1 * abs(low) if abs(low) > _SMALLEST else 0.1
        low, high = low - room, high + room
    step = round_step((high - low) / ticks)
    low, high = math.floor(low / step + 1e-6) * step, math.ceil(high / step - 1e-6) * step
    toward = math.copysign(_ROOM, end - start)
    below, above = start, end
    if -math.inf in seen:
        start += toward
    if math.inf in seen:
        end -= toward
    return Axis(low, high, start, end, step, below, above)


def drawable(value: float) -> bool:
    """Whether a value is finite and small enough for a scale to reach it."""
    return abs(value) < LARGEST


def round_step(rough: float) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten that is at least ``rough``.

    >>> round_step(0.17), round_step(3)
    (0.2, 5.0)
    """
    rough = max(rough, 1e-300)  # the logarithm of zero is not defined
    power = math.floor(math.log10(rough) + 1e-9)
    unit = 10.0**power
    return next((m * unit for m in (1, 2, 5) if m * unit >= rough * (1 - 1e-9)), 10 * unit)
