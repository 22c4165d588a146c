"""Series for models and distances: complete values between 0 and 1, and how far persons are apart.

The preparation is what the Hide-and-Seek contest applied to every array first: a value that was not
measured is copied from the next row that has one, else from the last, else it is the median of the
column, else 0; each feature is scaled to 0..1 by its own smallest and largest value; time
counts from a person's first row and is not scaled; padding is -1.

Values stay ragged, rows by (time and features), until :meth:`PreparedSeries.padded` asks for the
rectangular array: a third of that array is padding, and blocks of it are often enough.

A *cloud* is a set of persons as points. Its views are parts of the coordinates, computed for the
persons asked for, so that a padded array of gigabytes never exists at once. Squared distances add
up over views. A view of float32 is multiplied in single precision, around the middle of the base
cloud; a view whose numbers are large, such as unscaled time, is float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Rows
from quintain.data.schema import Schema
from quintain.data.series import Series

Values = npt.NDArray[np.float64]

ALL = slice(None)
PADDING = -1.0
"""The value of a padded array where a person has no row."""

Persons = npt.NDArray[np.int64]
View = Callable[[Persons], npt.NDArray[Any]]
Compare = Literal["all", "time", "features"]

QUERIES = 1024
BASE = 4096
"""Persons per block; both bound the memory: 5,120 padded arrays and their products."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """An affine map of each column: ``low`` goes to 0 and ``low + span`` to 1.

    >>> scaling = Scaling.of(np.array([[0.0, 10.0], [5.0, 30.0], [9.0, np.nan]]))
    >>> scaling.apply(np.array([[7.0, 20.0]])).tolist()
    [[7.0, 0.5]]
    """

    low: Values
    span: Values

    @classmethod
    def of(cls, values: Values, tolerance: float = 0.0) -> Scaling:
        """Smallest and largest value of each feature; time, the first column, stays as it is.

        A feature does not vary if its span is at most ``tolerance`` times its largest value, and
        keeps its unit. With 0, as in 2020, rounding of 1e-15 is stretched to the whole of 0..1.
        """
        low = np.fmin.reduce(values, axis=0, initial=np.inf)
        high = np.fmax.reduce(values, axis=0, initial=-np.inf)
        low = np.where(np.isfinite(low), low, 0.0)
        high = np.where(np.isfinite(high), high, 0.0)
        varies = high - low > tolerance * np.maximum(np.abs(low), np.abs(high))
        span = np.where(varies, high - low, 1.0)
        low[0], span[0] = 0.0, 1.0
        return cls(low, span)

    def apply(self, values: Values) -> Values:
        """Raw values as scaled ones."""
        return (values - self.low) / self.span

    def undo(self, values: Values) -> Values:
        """Scaled values as raw ones."""
        return values * self.span + self.low


@dataclass(frozen=True, slots=True, eq=False)
class PreparedSeries:
    """Prepared series, still ragged.

    Parameters
    ----------
    schema : of the series they were made from.
    values : rows x (time and features), prepared.
    offsets : person i owns rows offsets[i] to offsets[i + 1].
    steps : the number of rows per person in a padded array; no person has more.
    scaling : how raw features became prepared ones.
    """

    schema: Schema
    values: Values
    offsets: Rows
    steps: int
    scaling: Scaling

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Rows:
        """How many rows each person has."""
        return np.diff(self.offsets)

    def slots(self, persons: slice | Rows = ALL) -> npt.NDArray[np.bool_]:
        """Where some persons have rows, persons x steps: rows come last, padding first."""
        return np.arange(self.steps) >= self.steps - self.lengths[persons][:, None]

    def padded(
        self, persons: slice | Rows = ALL, columns: slice = ALL, dtype: npt.DTypeLike = np.float64
    ) -> npt.NDArray[Any]:
        """A persons x steps x columns array of some persons, padded with -1."""
        lengths, begins = self.lengths[persons], self.offsets[:-1][persons]
        skipped = begins - (np.cumsum(lengths) - lengths)
        rows = np.repeat(skipped, lengths) + np.arange(lengths.sum())
        width = len(range(self.values.shape[1])[columns])
        out = np.full((len(lengths), self.steps, width), PADDING, dtype)
        out[self.slots(persons)] = self.values[rows, columns]
        return out

    def rescale(self, scaling: Scaling) -> PreparedSeries:
        """The same series on another scale."""
        values = scaling.apply(self.scaling.undo(self.values))
        return PreparedSeries(self.schema, values, self.offsets, self.steps, scaling)

    def restore(self, values: Values, offsets: Rows | None = None) -> Series:
        """Prepared values as series in raw units, for a release: time from 0, persons renumbered.

        ``values`` are rows x columns, person after person; they are put back into the bounds that
        the schema has, and belong to the same persons unless ``offsets`` says otherwise.
        """
        starts = self.offsets if offsets is None else offsets
        raw = within_bounds(self.scaling.undo(values), self.schema)
        return Series(self.schema, np.arange(len(starts) - 1), starts, raw)


def within_bounds(values: Values, schema: Schema) -> Values:
    """The rows of a series with every value inside the bounds of its column, where it has any."""
    for j, column in enumerate(schema.columns[1:]):
        if column.low is not None or column.high is not None:
            values[:, j] = np.clip(values[:, j], column.low, column.high)
    return values


def prepare(
    series: Series, steps: int, *, imputed: bool = True, scaling: Scaling | None = None
) -> PreparedSeries:
    """Prepare series: the first ``steps`` rows of each, completed, scaled.

    Parameters
    ----------
    imputed : complete what was not measured; if not, NaN stays NaN.
    scaling : the scale of other data; by default the scale of these data.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(shape="series", columns=(
    ...     Column(name="stay", kind="id", role="person"),
    ...     Column(name="hour", kind="real", role="time"),
    ...     Column(name="pulse", kind="real", nullable=True)))
    >>> rows = [[9, np.nan], [11, 80], [3, 60], [4, np.nan]]
    >>> prepare(Series(schema, np.array([7, 8]), np.array([0, 2, 4]), rows), 3).padded().tolist()
    [[[-1.0, -1.0], [0.0, 1.0], [2.0, 1.0]], [[-1.0, -1.0], [0.0, 0.0], [1.0, 0.0]]]
    """
    short = series.head(steps)
    values = complete(short) if imputed else np.array(short.values)
    values[:, 0] -= np.repeat(_earliest(values[:, 0], short.offsets), short.lengths)
    scaling = Scaling.of(values) if scaling is None else scaling
    return PreparedSeries(short.schema, scaling.apply(values), short.offsets, steps, scaling)


def longest(*sides: Series) -> int:
    """The number of rows of the longest series; at least 1."""
    return max(1, *(int(side.lengths.max(initial=0)) for side in sides))


def only_times(series: Series) -> Series:
    """The same persons and rows, without features."""
    schema = series.schema.model_copy(update={"columns": series.schema.columns[:2]})
    return Series(schema, series.ids, series.offsets, series.values[:, :1])


def complete(series: Series) -> Values:
    """All rows with missing values filled: by the next, the last, the median, or 0."""
    first = np.repeat(series.offsets[:-1], series.lengths)
    end = np.repeat(series.offsets[1:], series.lengths)
    number = np.arange(len(series.values))
    out = np.empty_like(series.values)
    for j in range(out.shape[1]):
        column = np.ascontiguousarray(series.values[:, j])
        missing = np.isnan(column)
        if not missing.any():
            out[:, j] = column
            continue
        after = np.minimum.accumulate(np.where(missing, len(column), number)[::-1])[::-1]
        before = np.maximum.accumulate(np.where(missing, -1, number))
        origin = np.where(after < end, after, before)
        known = column[~missing]
        fill = np.median(known) if len(known) else 0.0
        out[:, j] = np.where(origin >= first, column[origin], fill)
    return out


def _earliest(time: Values, offsets: Rows) -> Values:
    """The smallest time of each person; 0 for a person without rows."""
    out = np.zeros(len(offsets) - 1)
    occupied = np.diff(offsets) > 0
    if occupied.any():
        out[occupied] = np.fmin.reduceat(time, offsets[:-1][occupied])
    return np.nan_to_num(out)


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Points whose coordinates are computed on demand."""

    size: int
    views: tuple[View, ...]


def cloud(prepared: PreparedSeries, compare: Compare = "all") -> Cloud:
    """Prepared series as points: the padded array laid flat, or only its time or its features."""
    size = len(prepared)

    def time(persons: Persons) -> npt.NDArray[Any]:
        return prepared.padded(persons, slice(0, 1)).reshape(len(persons), -1)

    def features(persons: Persons) -> npt.NDArray[Any]:
        return prepared.padded(persons, slice(1, None), np.float32).reshape(len(persons), -1)

    views = {"all": (features, time), "time": (time,), "features": (features,)}
    return Cloud(size, views[compare])


def points(array: npt.NDArray[Any]) -> Cloud:
    """The rows of an array as points."""
    return Cloud(len(array), (lambda persons: array[persons],))


def nearest(queries: Cloud, base: Cloud, *, others: bool = False) -> tuple[Floats, Persons]:
    """Find the nearest base point of each query, with the squared distance to it.

    The point is found in the precision of the views and its distance computed exactly, so a copy is
    at distance 0. With ``others`` both clouds are the same, and a point is not its own neighbour.
    """
    best = np.full(queries.size, np.inf)
    closest = np.zeros(queries.size, np.int64)
    for rows, columns, squares in _blocks(queries, base):
        if others:
            squares[rows[:, None] == columns] = np.inf
        place = squares.argmin(axis=1)
        value = squares[np.arange(len(rows)), place]
        closer = value < best[rows]
        best[rows[closer]], closest[rows[closer]] = value[closer], columns[place[closer]]
    reached = np.isfinite(best)
    best[reached] = _exact(queries, base, np.flatnonzero(reached), closest[reached])
    return best, closest


def all_distances(queries: Cloud, base: Cloud) -> npt.NDArray[np.float32]:
    """Squared distances, queries x base, in four bytes each."""
    out = np.empty((queries.size, base.size), np.float32)
    for rows, columns, squares in _blocks(queries, base):
        out[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = squares
    return out


def _blocks(queries: Cloud, base: Cloud) -> Iterator[tuple[Persons, Persons, Floats]]:
    """Query numbers, base numbers and their squared distances, block after block."""
    middles = [_middle(base, view) for view in base.views] if base.size else []
    for start in range(0, base.size, BASE):
        columns = np.arange(start, min(start + BASE, base.size))
        base_views = []
        for view, middle in zip(base.views, middles, strict=True):
            base_points = view(columns)
            base_points -= middle
            base_views.append((base_points, _lengths(base_points)))
        for first in range(0, queries.size, QUERIES):
            rows = np.arange(first, min(first + QUERIES, queries.size))
            squares = np.zeros((len(rows), len(columns)))
            for view, middle, (base_points, square) in zip(
                queries.views, middles, base_views, strict=True
            ):
                query_points = view(rows)
                query_points -= middle
                squares -= 2 * (query_points @ base_points.T)
                squares += _lengths(query_points)[:, None]
                squares += square
            yield rows, columns, np.maximum(squares, 0, out=squares)


def _middle(base: Cloud, view: View) -> npt.NDArray[Any]:
    """The approximate mean of a view; subtracting it keeps distances and reduces rounding."""
    probes = np.unique(np.linspace(0, base.size - 1, min(base.size, 500)).astype(np.int64))
    sample = view(probes)
    return np.asarray(sample.mean(axis=0, dtype=np.float64)).astype(sample.dtype)


def _lengths(array: npt.NDArray[Any]) -> Floats:
    """Squared lengths of rows; the sum is taken in double precision."""
    return np.asarray(np.einsum("ij,ij->i", array, array, dtype=np.float64))


def _exact(queries: Cloud, base: Cloud, query_rows: Persons, base_rows: Persons) -> Floats:
    out = np.zeros(len(query_rows))
    for start in range(0, len(query_rows), QUERIES):
        block = slice(start, start + QUERIES)
        for query_points, base_points in zip(queries.views, base.views, strict=True):
            out[block] += _lengths(
                query_points(query_rows[block]).astype(np.float64) - base_points(base_rows[block])
            )
    return out
