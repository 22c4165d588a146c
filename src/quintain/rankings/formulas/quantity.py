"""Quantity: an exact number with its interval; and what can stand in its place.

Numbers are fractions. A reading counts as the decimal number that a person would write for it, so
0.1 * 850 + 0.9 * 880 is exactly 877 and equal scores are equal. Intervals follow interval
arithmetic: the result lies in the interval whenever all readings lie in theirs. If a reading
appears once, or moves the result in one direction only, the ends are those of the worst and the
best case; otherwise the interval is wider than necessary. The lowest or highest of several numbers
has a longer interval, because it was picked after looking.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from quintain.measures.intervals import lengthening
from quintain.measures.reading import Reading

LONGEST_FRACTION = 16_384
"""The most bits of a numerator or denominator; products of many readings stay far below it."""

Bound = Fraction | float
"""An end of an interval: exact, or infinite."""

UNLIMITED = 1 << 62
"""The sample size of a number that rests on no sample."""


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no number, and why.

    Parameters
    ----------
    absent : whether it is an attack that did not take place.
    in_part : whether other values inside the intervals behind it give a number.
    """

    reason: str
    absent: bool = False
    in_part: bool = False


class Quantity(NamedTuple):
    """A number with its interval; ``n`` is the smallest sample behind it.

    The three figures of an exact number are one object, so that it is computed only once. It is a
    tuple because a contest of 200 teams makes 40,000 of them. ``has_gaps`` says that some values
    inside the intervals behind it give no number, as the root of what may be negative.
    """

    value: Fraction
    low: Bound
    high: Bound
    n: int = UNLIMITED
    level: float = 1.0
    has_gaps: bool = False

    @classmethod
    def exact(cls, value: Fraction | int, n: int = UNLIMITED) -> Quantity:
        """A number without uncertainty."""
        one = Fraction(value)
        return cls(one, one, one, n)

    @property
    def is_exact(self) -> bool:
        """Whether the interval is a single point."""
        return self.low is self.value and self.high is self.value


Item = Quantity | Missing


@lru_cache(maxsize=1 << 16)
def fraction_of(number: float) -> Fraction:
    """The decimal number that a float is written as: 0.1 is one tenth."""
    return Fraction(Decimal(repr(number)))


def quantity_of(name: str, reading: Reading) -> Item:
    """A reading as an exact quantity."""
    if not reading.measured:
        return Missing(f"{name} was not measured" + (f": {reading.note}" if reading.note else ""))
    if math.isinf(reading.value):
        return Missing(f"{name} is infinite")
    value, low, high = exact_figures(reading.value, reading.low, reading.high)
    return Quantity(value, low, high, reading.n, reading.level)


def exact_figures(value: float, low: float, high: float) -> tuple[Fraction, Bound, Bound]:
    """Value and interval as fractions; ends that are equal to the value are the same object."""
    one = fraction_of(value)
    return (
        one,
        one if low == value else _bound_of(low, -math.inf),
        one if high == value else _bound_of(high, math.inf),
    )


def _bound_of(end: float, unknown: float) -> Bound:
    if math.isnan(end):
        return unknown
    return end if math.isinf(end) else fraction_of(end)


def combined(parts: Sequence[Quantity], figures: tuple[Fraction, Bound, Bound]) -> Item:
    """A quantity that was computed from others; missing if its digits get out of hand."""
    numerator, denominator = figures[0].as_integer_ratio()
    if max(numerator.bit_length(), denominator.bit_length()) > LONGEST_FRACTION:
        return Missing("the numbers in the formula become too long")
    n, level, has_gaps = parts[0][3:]
    for part in parts[1:]:
        n, level = min(n, part.n), min(level, part.level)
        has_gaps = has_gaps or part.has_gaps
    return Quantity(*figures, n, level, has_gaps)


def pointwise(function: Callable[[Sequence[Bound]], Bound], parts: Sequence[Quantity]) -> Item:
    """A function that grows with each argument; its ends are those of all lows and all highs."""
    value = function([part.value for part in parts])
    assert isinstance(value, Fraction)
    if all(part.is_exact for part in parts):
        return combined(parts, (value, value, value))
    low, high = (function([getattr(p, end) for p in parts]) for end in ("low", "high"))
    return combined(parts, (value, low, high))


End = Literal["low", "high"]


def lengthen_all(parts: Sequence[Quantity], end: End) -> Sequence[Quantity]:
    """The numbers with one end of each interval further away, if several of them have intervals.

    The highest of several numbers was picked after looking at them: one that is too high by luck
    is picked more often. So its lower end holds only if the lower ends of all of them do.
    """
    several = sum(not part.is_exact for part in parts)
    if several < 2:
        return parts
    return [part if part.is_exact else _lengthen(part, end, several) for part in parts]


def _lengthen(part: Quantity, end: End, several: int) -> Quantity:
    bound: Bound = getattr(part, end)
    if not isinstance(bound, Fraction) or part.level >= 1:
        return part
    factor = fraction_of(lengthening(several, part.level))
    further = part.value + factor * (bound - part.value)
    return part._replace(low=further) if end == "low" else part._replace(high=further)


def size(number: Bound) -> tuple[float, Bound]:
    """A key by which to order numbers: floats are compared faster, and equal floats exactly."""
    try:
        return float(number), number
    except OverflowError:
        return (math.inf if number > 0 else -math.inf), number


def exact_sum(numbers: Iterable[Bound]) -> Bound:
    """A sum without rounding, over one common denominator."""
    listed = list(numbers)
    exact = [number for number in listed if isinstance(number, Fraction)]
    if len(exact) < len(listed):
        return sum(number for number in listed if not isinstance(number, Fraction))
    common = math.lcm(*(number.denominator for number in exact))
    total = sum(number.numerator * (common // number.denominator) for number in exact)
    return Fraction(total, common)
