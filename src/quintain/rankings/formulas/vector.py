"""Vector: several numbers, one per attacker, per entry or per record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction
from functools import cached_property
from math import isinf
from typing import NamedTuple

from quintain.measures.intervals import lengthening
from quintain.measures.reading import LEVEL, Direction, Reading
from quintain.rankings.formulas.quantity import (
    UNLIMITED,
    Bound,
    End,
    Item,
    Missing,
    Quantity,
    combined,
    fraction_of,
)

_EXACT = Context(prec=1100, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[Inexact])
"""Enough digits for a sum of floats, from the largest to the smallest."""


class Figures(NamedTuple):
    """Readings as they were measured, before anything is computed from them.

    Comparing floats and adding decimals takes a fraction of the time of exact fractions, so what
    can be computed from these figures alone is computed from them.

    Parameters
    ----------
    value, low, high : the measured ones; at least one, and no value is infinite or unknown.
    n : the smallest sample.
    """

    value: list[float]
    low: list[float]
    high: list[float]
    n: int

    def lengthen(self, end: End) -> Figures:
        """The readings with one end of each interval further away, if several have intervals."""
        ends = self.low if end == "low" else self.high
        several = sum(not low == value == high for value, low, high in zip(*self[:3], strict=True))
        if several < 2:
            return self
        factor = lengthening(several, LEVEL)
        further = [
            value + factor * (bound - value) for value, bound in zip(self.value, ends, strict=True)
        ]
        return self._replace(low=further) if end == "low" else self._replace(high=further)

    def combine(self, function: Callable[[list[float]], Bound]) -> Item:
        """A function that grows with each of the numbers."""
        value = function(self.value)
        assert isinstance(value, Fraction)
        low = value if self.low == self.value else function(self.low)
        high = value if self.high == self.value else function(self.high)
        return combined([Quantity(value, low, high, self.n, LEVEL)], (value, low, high))


class Vector:
    """Several numbers, and where they come from.

    Parameters
    ----------
    items : the numbers, or a function that makes them when they are needed.
    labels : the attackers or entries behind the items; empty if the items have no names.
    own : the labels of the team's own places, which are left out of the items.
    figures : the measured readings among the items, if nothing else is missing.
    """

    def __init__(
        self,
        items: tuple[Item, ...] | Callable[[], tuple[Item, ...]],
        labels: tuple[str, ...] = (),
        own: tuple[str, ...] = (),
        figures: Figures | None = None,
    ) -> None:
        self._items = items
        self.labels = labels
        self.own = own
        self.figures = figures

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The numbers, each with its interval, as the exact path computes with them."""
        return self._items() if callable(self._items) else self._items

    def with_items(self, items: tuple[Item, ...]) -> Vector:
        """Other numbers for the same attackers or entries."""
        return Vector(items, self.labels, self.own)


Value = Quantity | Missing | Vector


def bound_of(number: float) -> Bound:
    """A float as the decimal number that it is written as; infinite ones stay floats."""
    return number if isinf(number) else fraction_of(number)


def decimal_sum(numbers: Sequence[float]) -> Bound:
    """The exact sum of the decimal numbers that floats are written as.

    >>> decimal_sum([0.1, 0.2])
    Fraction(3, 10)
    """
    total = Decimal(0)
    for number in numbers:
        total = _EXACT.add(total, Decimal(repr(number)))
    return Fraction(total) if total.is_finite() else float(total)


def reading_of(value: Value, better: Direction) -> Reading:
    """The result of a formula as a reading; "not measured" if there is no number."""
    if isinstance(value, Vector):
        return Reading.missing(better, "the formula gives a list of numbers")
    if isinstance(value, Missing):
        return Reading.missing(better, value.reason)
    try:
        figures = {key: float(getattr(value, key)) for key in ("value", "low", "high")}
    except OverflowError:
        return Reading.missing(better, "the result is too large")
    return Reading(
        **figures,
        n=1 if value.n == UNLIMITED else value.n,
        better=better,
        method="exact" if value.low == value.value == value.high else "interval arithmetic",
        level=LEVEL if value.level == 1.0 else value.level,
    )
