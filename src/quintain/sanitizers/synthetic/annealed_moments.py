"""Moments of annealed data: records exchange values until the columns depend on each other enough.

A swap of two values of a column changes no count. The gradient of a loss shows which swaps bring
the covariances closer: many pairs of records are compared at once, and the best pairs swap.

Private data differ from their population by chance, and these differences betray members. Where the
bounds allow it, the release takes the statistics of public people instead of the private ones.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from quintain.data import Schema, Table, as_table
from quintain.data.arrays import Array, Floats
from quintain.data.sources.source import Source
from quintain.errors import PartError, Rejected
from quintain.kernels.dummies import (
    Moments,
    correlation_gaps,
    dummies,
    moments,
    moments_after_swaps,
)
from quintain.randomness.noise import Noise
from quintain.registry import Part, build
from quintain.sanitizers.sanitizer import sanitize
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.synthetic.moments import MomentsGenerator

_CYCLES = 40
"""How often every column is visited, at most."""
_STEP = 0.6
"""The part of the loss that the swaps of one step remove, according to the gradient."""

_MOST = 200_000
"""The most public people to use."""
_ROOM = 0.35
"""The part of each bound that is left for the search, when the bound is spent on public values."""


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
            pull += part[values] if column.listed else values[:, None] * part[0]
    first, second = table.columns[name][one], table.columns[name][other]
    if table.schema[name].listed:
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


def _build_source(table: Any) -> Any:
    if isinstance(table, Part):
        return table
    if not isinstance(table, str | Mapping):
        raise ValueError('a source is written { use = "..." }')
    try:
        return build(Source.family, table)
    except Rejected as error:
        raise ValueError("; ".join(str(fault) for fault in error.faults)) from None


class PublicPeople(BaseModel):
    """Public data that resemble the population of the private data.

    Parameters
    ----------
    source : where they come from, such as ``{ use = "adult" }``.
    generate : if the population is synthetic, how many records moments-v1 made from the source.
    distinct : whether the population has every record only once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Annotated[
        Source,
        BeforeValidator(_build_source),
        PlainSerializer(lambda source: source.spec()),
        WithJsonSchema({"x-part": Source.family}),
    ]
    generate: Annotated[int, Field(ge=2)] | None = None
    distinct: bool = False

    def table(self, schema: Schema) -> Table:
        """Make the public people, with the columns of the private data; always the same ones."""
        people = _people(self)
        missing = [name for name in schema.names if name not in people.schema]
        if missing:
            raise PartError(f"the public data have no column {missing[0]!r}")
        return people.select(schema.names)


@lru_cache(maxsize=1)
def _people(recipe: PublicPeople) -> Table:
    """Make public people; nothing here is private, so anybody may repeat the random choices."""
    rng = np.random.default_rng(0)
    data = as_table(recipe.source.data(rng))
    if recipe.generate is not None:
        generator, noise = MomentsGenerator(rows=recipe.generate), Noise.for_test(0)
        data = as_table(sanitize(generator, data, rng=rng, noise=noise).release.data)
    if recipe.distinct:
        data = data.take(np.unique(data.row_keys(), return_index=True)[1])
    if len(data) > _MOST:
        data = data.take(rng.choice(len(data), _MOST, replace=False))
    return data


class PublicGoal(MomentGoal):
    """Covariances of public people, as far as the bounds around the private ones allow.

    Variances and covariances of numbers stay private: their bounds are tighter than chance. The
    bounds of this goal are what remains of the bounds around the private data.
    """

    def __init__(self, private: Table, public: Moments, start: Table, close: SwapCloseness) -> None:
        super().__init__(private, close)
        own, begin = self.original, moments(start)
        spread = np.sqrt(np.where(begin.constant, 1.0, np.diag(begin.covariance)))
        scale = np.outer(spread, spread)
        number = np.array([dummy.value is None for dummy in dummies(private.schema)])
        fixed = self.own | np.outer(number, number) | own.constant[:, None] | own.constant
        correlations = np.nan_to_num(own.correlation())
        far = np.abs(public.covariance / scale - correlations) > (1 - _ROOM) * close.correlation
        for common in np.unique(public.mean[~number])[::-1]:
            kept = np.outer(number, public.mean > common)
            private_cells = fixed | far | kept | kept.T
            aim = np.where(private_cells, correlations * scale, public.covariance)
            aim[self.own] = begin.covariance[self.own]  # no swap changes them
            gap = np.abs(aim - own.covariance).sum(axis=1)
            if gap.max() <= (1 - _ROOM) * close.row:
                break
        self.original = replace(own, covariance=aim, constant=begin.constant)
        self.close = SwapCloseness(
            np.maximum(close.correlation - np.abs(aim / scale - correlations), 0.0),
            np.maximum(close.row - gap, 0.0),
        )
