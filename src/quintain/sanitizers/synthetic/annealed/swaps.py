"""Swaps: records exchange values until the dependence between columns is close enough.

A swap of two values of a column changes no count. Which swaps bring the covariances closer is told
by the gradient of a loss: many pairs of records are looked at together, and the best are swapped.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quintain.data import Schema, Table
from quintain.data.arrays import Array, Floats
from quintain.kernels.dummies import Moments, correlation_gaps, dummies, moments
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation

_CYCLES = 40  # times every column is looked at, at most
_STEP = 0.6  # of the way that the gradient promises


@dataclass(frozen=True, slots=True)
class Closeness:
    """How close the moments shall be to the private data's.

    Parameters
    ----------
    correlation : the largest difference of a correlation coefficient.
    row : the largest sum of differences in a row of the covariance matrix.
    """

    correlation: float = math.inf
    row: float = math.inf

    def excess(self, gaps: Floats, rows: Floats) -> float:
        """How much farther than this it is; 0 or less if it is close enough."""
        return float(max(np.abs(gaps).max() - self.correlation, rows.max() - self.row))


class Settling:
    """Private moments, and how far a table is from them."""

    def __init__(self, original: Table, close: Closeness) -> None:
        self.close, self.original = close, moments(original)
        self.places = _places(original.schema)
        self.own = np.zeros((len(self.original.mean),) * 2, bool)
        for place in self.places.values():
            self.own[place, place] = True

    def distances(self, now: Moments) -> tuple[Floats, Floats]:
        """Differences of correlations, and row sums of those of covariances."""
        rows = np.abs(now.covariance - self.original.covariance).sum(axis=1)
        return correlation_gaps(self.original, now), rows

    def excess(self, table: Table) -> float:
        """How much too far a table is; 0 or less if it is close enough."""
        return self.close.excess(*self.distances(moments(table)))

    def loss(self, now: Moments) -> tuple[float, Floats]:
        """Squares of what is too far, and their derivatives by the covariances.

        A correlation is too far by what it exceeds the bound by. In a row that is too far
        altogether, every difference counts. Within a column no swap changes anything.
        """
        gaps, rows = self.distances(now)
        gaps[self.own] = 0.0
        excess = np.sign(gaps) * np.maximum(np.abs(gaps) - self.close.correlation, 0)
        far = rows > self.close.row
        excess = np.where(far[:, None] | far[None, :], gaps, excess)
        spread = np.sqrt(np.where(now.constant, 1.0, np.diag(now.covariance)))
        return float((excess**2).sum() / 2), 2 * excess / np.outer(spread, spread)


def settled(table: Table, goal: Settling, fixed: Collection[str], noise: Noise) -> Table:
    """The table with values swapped until it is close enough, or no swap helps any more.

    Values of ``fixed`` columns stay where they are.
    """
    for _ in range(_CYCLES):
        if goal.excess(table) <= 0:
            break
        before = table
        for place in permutation(len(table.schema.names), noise).tolist():
            name = table.schema.names[place]
            if name not in fixed:
                table = _swapped(table, name, goal, noise)
        if table is before:
            break
    return table


def _swapped(table: Table, name: str, goal: Settling, noise: Noise) -> Table:
    """The table after the best swaps in one column; itself if none helps."""
    loss, slope = goal.loss(moments(table))
    if not slope[goal.places[name]].any():
        return table
    order = permutation(len(table), noise)
    half = len(order) // 2
    one, other = order[:half], order[half : 2 * half]
    gain = _gains(table, name, goal.places, slope, one, other) / len(table)
    better = np.flatnonzero(gain < 0)
    better = better[np.argsort(gain[better], kind="stable")]
    # To first order, twice the loss is what there is to gain.
    count = int(np.searchsorted(-np.cumsum(gain[better]), _STEP * loss)) + 1
    held = table.columns[name]
    while count and len(better):
        a, b = one[better[:count]], other[better[:count]]
        column = held.copy()
        column[a], column[b] = held[b], held[a]
        tried = table.replace({name: column})
        if goal.loss(moments(tried))[0] < loss:
            return tried
        count //= 3
    return table


def _gains(
    table: Table,
    name: str,
    places: dict[str, slice],
    slope: Floats,
    one: npt.NDArray[np.int64],
    other: npt.NDArray[np.int64],
) -> Floats:
    """What the loss changes by, to first order, if two records swap their values of a column."""
    columns, place = table.schema.columns, places[name]
    pull = np.zeros((len(table), place.stop - place.start))
    for column in columns:
        if column.name != name:
            there = slope[places[column.name], place]
            held = table.columns[column.name]
            pull += there[held] if column.kind == "category" else held[:, None] * there[0]
    mine, theirs = table.columns[name][one], table.columns[name][other]
    if table.schema[name].kind == "category":
        pulled = _at(pull, one, theirs) - _at(pull, one, mine)
        return np.asarray(pulled + _at(pull, other, mine) - _at(pull, other, theirs))
    return np.asarray((theirs - mine) * (pull[one, 0] - pull[other, 0]))


def _at(pull: Floats, rows: npt.NDArray[np.int64], codes: Array) -> Floats:
    return np.asarray(pull[rows, codes])


def _places(schema: Schema) -> dict[str, slice]:
    """Where the dummy variables of each column are."""
    names = [dummy.column for dummy in dummies(schema)]
    return {
        name: slice(names.index(name), names.index(name) + names.count(name))
        for name in dict.fromkeys(names)
    }
