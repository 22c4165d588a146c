"""Axis: maps values to places on a drawing, with round ticks and room for infinity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from quintain.figures.format import number


@dataclass(frozen=True, slots=True)
class LogAxis:
    """A scale of powers of ten from a small rate up to 1.

    Parameters
    ----------
    decades : how many powers of ten it has; the smallest rate is 10 to minus this.
    start, end : the places of the smallest rate and of 1.
    """

    decades: int
    start: float
    end: float

    @property
    def low(self) -> float:
        """The smallest rate that has a place of its own."""
        return 10.0**-self.decades

    def at(self, rate: float) -> float:
        """The place of a rate; smaller rates, and zero, are placed at the start.

        >>> LogAxis(2, 0, 100).at(0.1), LogAxis(2, 0, 100).at(0)
        (50.0, 0.0)
        """
        share = 1 + math.log10(min(max(rate, self.low), 1.0)) / self.decades
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of the powers of ten, as percentages.

        >>> [label for _, label in LogAxis(3, 0, 100).ticks()]
        ['0.1\\xa0%', '1\\xa0%', '10\\xa0%', '100\\xa0%']
        """
        powers = [10.0**-i for i in range(self.decades, -1, -1)]
        return [(self.at(power), f"{_plain(100 * power)}\u00a0%") for power in powers]


def decades_for(people: int) -> int:
    """How many powers of ten rates of so many people reach; between 2 and 5.

    >>> decades_for(500), decades_for(10_000), decades_for(0)
    (3, 4, 3)
    """
    if people <= 0:
        return 3
    return min(5, max(2, math.ceil(math.log10(people) - 1e-9)))


def _plain(percent: float) -> str:
    return number(percent) if percent >= 1 else f"{percent:.4f}".rstrip("0")


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
