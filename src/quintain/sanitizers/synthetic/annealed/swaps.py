"""Swaps: records exchange values until the dependence between columns is close enough.

A swap of two values of a column changes no count. The gradient of a loss shows which swaps bring
the covariances closer: many pairs of records are compared at once, and the best pairs swap.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data import Schema, Table
from quintain.data.arrays import Array, Floats
from quintain.kernels.dummies import (
    Moments,
    correlation_gaps,
    dummies,
    moments,
    moments_after_swaps,
)
from quintain.noise import Noise
from quintain.sanitizers.shuffling import permutation

_CYCLES = 40
"""How often every column is visited, at most."""
_STEP = 0.6
"""The part of the loss that the swaps of one step remove, according to the gradient."""


@dataclass(frozen=True, slots=True)
class SwapCloseness:
    """How close the moments of the release must be to those of the private data.

    Parameters
    ----------
    correlation : the largest difference of a correlation coefficient that is allowed, for all of
        them or for each.
    row : the largest sum of differences in a row of the covariance matrix that is allowed, for all
        rows or for each.
    """

    correlation: float | Floats = math.inf
    row: float | Floats = math.inf

    def excess(self, gaps: Floats, rows: Floats) -> float:
        """Measure how far the differences exceed the bounds; 0 or less if they do not."""
        return float(max((np.abs(gaps) - self.correlation).max(), (rows - self.row).max()))


class MomentGoal:
    """The moments of the private data, and how far a table may be from them."""

    def __init__(self, original: Table, close: SwapCloseness) -> None:
        self.close, self.original = close, moments(original)
        self.places = _places(original.schema)
        self.own = np.zeros((len(self.original.mean),) * 2, bool)
        for place in self.places.values():
            self.own[place, place] = True

    def distances(self, current: Moments) -> tuple[Floats, Floats]:
        """Give the differences of correlations, and row sums of differences of covariances."""
        rows = np.abs(current.covariance - self.original.covariance).sum(axis=1)
        return correlation_gaps(self.original, current), rows

    def excess(self, current: Moments) -> float:
        """Measure how far a table is beyond the bounds; 0 or less if it is close enough."""
        return self.close.excess(*self.distances(current))

    def loss(self, current: Moments) -> tuple[float, Floats]:
        """Sum the squared excesses over the bounds, with their derivatives by the covariances.

        The excess of a correlation is the difference beyond its bound. In a row whose sum exceeds
        its bound, every difference counts. Entries within one column are left out, because no swap
        changes them.
        """
        gaps, rows = self.distances(current)
        gaps[self.own] = 0.0
        excess = np.sign(gaps) * np.maximum(np.abs(gaps) - self.close.correlation, 0)
        far = rows > self.close.row
        excess = np.where(far[:, None] | far[None, :], gaps, excess)
        spread = np.sqrt(np.where(current.constant, 1.0, np.diag(current.covariance)))
        return float((excess**2).sum() / 2), 2 * excess / np.outer(spread, spread)


def settle(table: Table, goal: MomentGoal, fixed: Collection[str], noise: Noise) -> Table:
    """Swap values until the table is close enough, or no further swap helps.

    The values of ``fixed`` columns do not move.
    """
    current = moments(table)
    for _ in range(_CYCLES):
        if goal.excess(current) <= 0:
            break
        before = table
        for place in permutation(len(table.schema.names), noise).tolist():
            name = table.schema.names[place]
            if name not in fixed:
                table, current = _swap_column(table, current, name, goal, noise)
        if table is before:
            break
    return table


def _swap_column(
    table: Table, current: Moments, name: str, goal: MomentGoal, noise: Noise
) -> tuple[Table, Moments]:
    """Make the best swaps in one column; give the same table back if no swap helps."""
    loss, slope = goal.loss(current)
    if not slope[goal.places[name]].any():
        return table, current
    order = permutation(len(table), noise)
    half = len(order) // 2
    one, other = order[:half], order[half : 2 * half]
    gain = _gains(table, name, goal.places, slope, one, other) / len(table)
    better = np.flatnonzero(gain < 0)
    better = better[np.argsort(gain[better], kind="stable")]
    # To first order, the total that swaps can gain is twice the loss.
    count = int(np.searchsorted(-np.cumsum(gain[better]), _STEP * loss)) + 1
    values = table.columns[name]
    while count and len(better):
        a, b = one[better[:count]], other[better[:count]]
        column = values.copy()
        column[a], column[b] = values[b], values[a]
        tried = table.replace({name: column})
        after = moments_after_swaps(current, tried, name)
        if goal.loss(after)[0] < loss:
            return tried, after
        count //= 3
    return table, current


def _gains(
    table: Table,
    name: str,
    places: dict[str, slice],
    slope: Floats,
    one: npt.NDArray[np.int64],
    other: npt.NDArray[np.int64],
) -> Floats:
    """Estimate, to first order, how the loss changes if two records swap their values."""
    columns, place = table.schema.columns, places[name]
    pull = np.zeros((len(table), place.stop - place.start))
    for column in columns:
        if column.name != name:
            part = slope[places[column.name], place]
            values = table.columns[column.name]
            pull += part[values] if column.kind == "category" else values[:, None] * part[0]
    first, second = table.columns[name][one], table.columns[name][other]
    if table.schema[name].kind == "category":
        gains = _at(pull, one, second) - _at(pull, one, first)
        return np.asarray(gains + _at(pull, other, first) - _at(pull, other, second))
    return np.asarray((second - first) * (pull[one, 0] - pull[other, 0]))


def _at(pull: Floats, rows: npt.NDArray[np.int64], codes: Array) -> Floats:
    return np.asarray(pull[rows, codes])


def _places(schema: Schema) -> dict[str, slice]:
    """Locate the dummy variables of each column among all of them."""
    names = [dummy.column for dummy in dummies(schema)]
    return {
        name: slice(names.index(name), names.index(name) + names.count(name))
        for name in dict.fromkeys(names)
    }
