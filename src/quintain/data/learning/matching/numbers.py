"""Numbers in another unit: years that became months, grams kilograms, codes their first digits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from quintain.data.arrays import Array, Floats
from quintain.data.column import Column
from quintain.data.learning.matching.match import LEAST_OVERLAP, RELEASE, Rewriting
from quintain.data.table import Table

FARTHEST = 0.9
"""If the shares below some number differ by more than this, the release has other numbers."""

LEAST_AMONG = 0.5
"""It has not if more of them than this lie among those of the others, as a constant may."""

_FAR, _NEAR = 0.5, 0.15
"""Another unit is looked for if the distributions are far apart, and found if they become near."""

_UNITS = (12, 7, 24, 30, 60, 365, 365.25, 3600, 2.54, 30.48, 0.45359237, 28.349523125, 1.609344)
"""Months of a year, days of a week, hours, minutes and days; inches, feet, pounds, ounces, miles"""

_FACTORS = (*map(float, _UNITS), *(10.0**power for power in range(1, 7)))

_FAHRENHEIT = (1.8, 32.0)

_COMMONEST, _FEW = 8, 500

Rounding = Literal["", "down", "nearest"]

_ALIKE = 1e-6
"""Numbers that differ by less than this, in relation to their size, are equal."""


@dataclass(frozen=True, slots=True)
class InUnit(Rewriting):
    """All numbers in one unit: that of the others, or that of the release if it rounds.

    Parameters
    ----------
    column : the common column.
    """

    change: UnitChange
    column: Column

    def contents(self, read: Table, name: str, role: str) -> Array:
        """The numbers in the common unit, as a table stores them."""
        numbers = read.numbers(name)
        others, own = self.change.apply(numbers, numbers)
        return store(own if role == RELEASE else others, self.column)


def coarsen(numbers: Floats, size: float, rounding: Rounding) -> Floats:
    """How many whole sizes there are in some numbers.

    >>> coarsen(np.array([80331.0, 80999.0]), 1000, "down").tolist()
    [80.0, 80.0]
    """
    places = tidy(numbers / size)
    return np.floor(places) if rounding == "down" else np.rint(places)


def store(numbers: Floats, column: Column) -> Array:
    """Numbers as a table stores them under a column."""
    if column.fractional:
        return numbers
    missing = np.isnan(numbers)
    codes = np.rint(np.where(missing, 0, numbers)).astype(np.int64) - column.offset
    return np.where(missing, -1, codes)


def largest_difference(one: Floats, other: Floats) -> float:
    """The largest difference of the shares below some number (Kolmogorov and Smirnov).

    >>> largest_difference(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.5
    """
    places = np.concatenate([one, other])
    below = [np.searchsorted(np.sort(own), places, "right") / len(own) for own in (one, other)]
    return float(np.abs(below[0] - below[1]).max())


@dataclass(frozen=True, slots=True)
class UnitChange:
    """A change of unit.

    Parameters
    ----------
    slope, intercept : released = slope x other + intercept.
    rounding : how the release rounds; empty if it does not.
    unit : whether the slope is that of a known unit.
    known, as_written : the share of released cells with a number of the others, after and before.
    """

    slope: float
    intercept: float
    rounding: Rounding = ""
    unit: bool = True
    known: float = 0.0
    as_written: float = 0.0

    def apply(self, pool: Floats, released: Floats) -> tuple[Floats, Floats]:
        """Numbers of the others and of the release in the unit in which they are compared."""
        if self.rounding:
            return coarsen(pool, 1 / self.slope, self.rounding), released
        return pool, tidy((released - self.intercept) / self.slope)


def match_unit(pool: Floats, released: Floats) -> UnitChange | None:
    """The change of unit under which released numbers are those of the others; None without one.

    Lines go through pairs of the commonest numbers, or have the slope of a known unit. The one
    with the largest overlap of cells is taken. A release of finer numbers than the unit of the
    others has few cells in common with them; then near distributions decide.

    Parameters
    ----------
    pool, released : the numbers of the others and of the release, without missing ones.

    >>> rng = np.random.default_rng(0)
    >>> years = rng.integers(17, 90, 500).astype(float)
    >>> found = match_unit(years, 12 * rng.permutation(years))
    >>> found.slope, found.intercept, found.known
    (12.0, 0.0, 1.0)
    >>> match_unit(years, years[::-1]) is None
    True
    """
    if len(pool) < 2 or len(released) < 2 or largest_difference(pool, released) < _FAR:
        return None
    few, few_released = _thin(pool), _thin(released)
    best, best_score = None, -np.inf
    for candidate in _candidates(few, few_released):
        if not candidate.unit and best_score >= LEAST_OVERLAP:
            break  # a known unit explains most cells
        others, own = candidate.apply(few, few_released)
        score, distance = _overlap(others, own), largest_difference(others, own)
        fits = score >= LEAST_OVERLAP or (candidate.unit and not candidate.rounding)
        if fits and distance <= _NEAR and score - 0.2 * distance > best_score + _ALIKE:
            best, best_score = candidate, score - 0.2 * distance
    if best is None:
        return None
    others, own = best.apply(pool, released)
    known, before = (float(np.isin(*cells).mean()) for cells in ((own, others), (released, pool)))
    return replace(best, known=known, as_written=before)


def _thin(numbers: Floats) -> Floats:
    """A few hundred numbers with the same distribution, in rising order."""
    places = (np.arange(_FEW) + 0.5) / _FEW * len(numbers)
    return np.sort(numbers)[places.astype(np.int64)] if len(numbers) > _FEW else np.sort(numbers)


def _candidates(pool: Floats, released: Floats) -> Iterator[UnitChange]:
    """Changes of unit that are worth a try, known units first."""
    for factor in _FACTORS:
        yield UnitChange(factor, 0.0)
        yield UnitChange(1 / factor, 0.0)
        yield UnitChange(1 / factor, 0.0, "down")
        yield UnitChange(1 / factor, 0.0, "nearest")
    slope, intercept = _FAHRENHEIT
    yield UnitChange(slope, intercept)
    yield UnitChange(1 / slope, -intercept / slope)
    for low, high in combinations(sorted(_commonest(pool)), 2):
        for begin, end in permutations(_commonest(released), 2):
            slope = float((end - begin) / (high - low))
            yield UnitChange(slope, float(begin - slope * low), unit=False)


def _commonest(numbers: Floats) -> Floats:
    """The numbers that occur most often, of those that occur at least twice."""
    values, counts = np.unique(numbers, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_COMMONEST]
    return np.asarray(values[order[counts[order] > 1]])


def _overlap(one: Floats, other: Floats) -> float:
    """The share of cells that two columns have in common, number by number."""
    values, cells = np.unique(np.concatenate([one, other]), return_inverse=True)
    shares = [
        np.bincount(part, minlength=len(values)) / len(part)
        for part in np.split(cells.reshape(-1), [len(one)])
    ]
    return float(np.minimum(*shares).sum())


def tidy(numbers: Floats) -> Floats:
    """Numbers that are nearly whole, or nearly short, without the errors of a division."""
    near = np.round(numbers, 6)
    return np.where(
        np.abs(numbers - near) <= _ALIKE * np.maximum(1, np.abs(numbers)), near, numbers
    )
