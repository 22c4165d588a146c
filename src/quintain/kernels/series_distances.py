"""Distances between many series: whole arrays, compared in blocks that fit the memory.

A *cloud* is a set of persons as points. Its views are parts of the coordinates, computed for the
persons asked for, so that a padded array of gigabytes never exists at once. Squared distances add
up over views. A view of float32 is multiplied in single precision, around the middle of the base
cloud; a view whose numbers are large, such as unscaled time, is float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats
from quintain.kernels.series_preparation import PreparedSeries

Persons = npt.NDArray[np.int64]
View = Callable[[Persons], npt.NDArray[Any]]
Compare = Literal["all", "time", "features"]

QUERIES = 1024
BASE = 4096
"""Persons per block; both bound the memory: 5,120 padded arrays and their products."""


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
