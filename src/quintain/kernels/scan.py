"""Scan: compare every pair of records roughly, to find the few that can be nearest.

Where records have many columns, a search tree can leave out next to nothing. Then it is quicker to
compute all costs roughly, column by column, in tiles that fit the cache: differing categories are
counted in bytes, and numbers are subtracted in single precision. Where every column has about the
same range, numbers are rounded to short integers, of which a processor subtracts twice as many at a
time. Squares of differences are one matrix product. Rounding has a bound, so no record that can be
among the nearest is lost. The few that are left are then compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from quintain.data.arrays import Array, Floats, Ints, Singles
from quintain.data.schema import Column
from quintain.kernels.distances import Layout, RecordPoints, slots

QUERIES = 32  # queries of a tile
RECORDS = 4096  # records of a tile: with so many queries it takes half a megabyte
_FOLD = 16  # records of a tile of which only the nearest is looked at first
_COUNTED = 255  # columns whose mismatches are counted together in bytes
_SUMMED = 16  # columns whose numbers are summed together as short integers
_STEPS = 32_000  # what such a sum may reach; rounding adds one step per column
_ROUNDING = float(np.finfo(np.float32).eps)
_LARGEST = 1e17  # the square of a larger number may be too large for single precision
_LEAST = 1e-37  # smaller costs may be lost in single precision


class QueryPairs(NamedTuple):
    """Queries and records, pair by pair."""

    query: Ints
    record: Ints


class _ColumnCells(NamedTuple):
    """One column of all records: as numbers, and as marks that are equal or differ, or either."""

    numbers: Singles | None
    marks: Array | None


class _Space(NamedTuple):
    """Memory for what is computed on the way; taking it anew would cost more than the sums do."""

    singles: Singles
    shorts: Array
    sums: Array
    counts: Array
    flags: Array

    @classmethod
    def take(cls) -> _Space:
        kinds = (np.float32, np.int16, np.int16, np.uint8, np.bool_)
        return cls(*(np.empty((QUERIES, RECORDS), kind) for kind in kinds))

    def part(self, queries: int) -> _Space:
        return _Space(*(array[:queries] for array in self))


class _NumberGroup(Protocol):
    """Some columns of numbers on both sides."""

    def add(self, tile: Singles, number: int, some: slice, own: _Space) -> None:
        """Add what the numbers of some queries and of one tile of records cost."""

    def error(self, costs: Floats, some: slice) -> Floats | float:
        """How far from the exact ones the sums for some queries may be, if a pair costs so much."""


class _Differences(NamedTuple):
    """Numbers that are subtracted one by one.

    Parameters
    ----------
    records, queries : tiles x columns x records, and columns x queries.
    """

    records: Array
    queries: Array

    @classmethod
    def of(cls, records: Singles, queries: Singles) -> _Differences:
        """The group of these columns: one line each."""
        return cls(_tiles(records), queries)

    def add(self, tile: Singles, number: int, some: slice, own: _Space) -> None:
        """Add the differences, column by column."""
        for numbers, wanted in zip(self.records[number], self.queries[:, some, None], strict=True):
            np.subtract(numbers, wanted, out=own.singles)
            np.abs(own.singles, out=own.singles)
            np.fmax(own.singles, 0, out=own.singles)  # missing costs nothing here: its bits differ
            np.add(tile, own.singles, out=tile)

    def error(self, costs: Floats, some: slice) -> float:
        """None that the rounding of a sum does not have."""
        return 0.0


class _Steps(NamedTuple):
    """Numbers without gaps, rounded to short integers.

    Parameters
    ----------
    records, queries : tiles x columns x records, and columns x queries.
    step : what one step costs.
    """

    records: Array
    queries: Array
    step: float

    @classmethod
    def of(cls, records: Singles, queries: Singles, widest: float) -> _Steps:
        """The group of these columns, whose differences have a sum of at most ``widest``."""
        step = max(widest / _STEPS, _LEAST)
        shorts = (np.rint(side / step).astype(np.int16) for side in (records, queries))
        return cls(_tiles(next(shorts)), next(shorts), step)

    def add(self, tile: Singles, number: int, some: slice, own: _Space) -> None:
        """Add the differences, column by column."""
        own.sums[:] = 0
        for numbers, wanted in zip(self.records[number], self.queries[:, some, None], strict=True):
            np.subtract(numbers, wanted, out=own.shorts)
            np.abs(own.shorts, out=own.shorts)
            np.add(own.sums, own.shorts, out=own.sums)
        np.multiply(own.sums, np.float32(self.step), out=own.singles)
        np.add(tile, own.singles, out=tile)

    def error(self, costs: Floats, some: slice) -> float:
        """Half a step on either side of every column."""
        return len(self.queries) * self.step


class _Squares(NamedTuple):
    """Squares of differences as a matrix product: (r - q)^2 is r^2 - 2rq + q^2.

    A column without gaps needs one line of the product, and the squares of all of them two more.
    In a column with gaps, a square counts if the number of the other side is there; so each of the
    three terms has a line of its own.

    Parameters
    ----------
    records, queries : tiles x lines x records, and queries x lines.
    lengths : the root of the sum of a query's squares.
    """

    records: Array
    queries: Array
    lengths: Floats

    @classmethod
    def of(cls, records: Singles, queries: Singles) -> _Squares:
        """The group of these columns: one line each."""
        gaps = np.isnan(records).any(axis=1) | np.isnan(queries).any(axis=1)
        numbers = [np.nan_to_num(side) for side in (records, queries)]
        squares = [np.square(side, dtype=np.float64) for side in numbers]
        known = [~np.isnan(side[gaps]) for side in (records, queries)]
        sums = [side[~gaps].sum(axis=0) for side in squares]
        ones = [np.ones(side.shape[1]) for side in numbers]
        left = (-2 * numbers[0], squares[0][gaps], known[0], sums[0], ones[0])
        right = (numbers[1], known[1], squares[1][gaps], ones[1], sums[1])
        lines = [np.vstack(side).astype(np.float32) for side in (left, right)]
        lengths = np.sqrt(squares[1].sum(axis=0))
        return cls(_tiles(lines[0]), np.ascontiguousarray(lines[1].T), lengths)

    def add(self, tile: Singles, number: int, some: slice, own: _Space) -> None:
        """Add the squares of all columns at once."""
        np.matmul(self.queries[some], self.records[number], out=own.singles)
        np.add(tile, own.singles, out=tile)

    def error(self, costs: Floats, some: slice) -> Floats:
        """What is lost where large terms nearly cancel.

        The terms of a pair add up to the square of both lengths together at most. A record that
        costs so little is about as long as the query, so thrice the query and its distance are
        longer than both.
        """
        reach = 3 * (self.lengths[some] + np.sqrt(np.maximum(costs, 0)))
        return np.asarray((self.queries.shape[1] + 8) * _ROUNDING * reach**2)


class Scan:
    """Records under a layout, ready to be compared with every query."""

    def __init__(self, layout: Layout, points: RecordPoints) -> None:
        self._layout = layout
        self._mismatch = np.float32(layout.distance.mismatch)
        self._squares = layout.distance.kind == "euclidean"
        self._count = points.values.shape[1]
        self._weights = np.array([number.weight for number in layout.numbers])
        numbers = points.values[: len(self._weights)]
        self._middles = np.nan_to_num(_means(numbers) if self._squares else _centres(numbers))
        self._reach = _reach(self._singles(points))
        self._narrow, self._wide = (_tiles(marks) for marks in self._marks(points))
        self._points = points

    def holds(self, points: RecordPoints) -> bool:
        """Whether single precision can hold the numbers of all records and of these queries."""
        return bool((self._farthest(points) <= _LARGEST).all())

    def near(self, points: RecordPoints, k: int) -> Iterator[QueryPairs]:
        """For some queries at a time all records that may be among the k nearest, and few others.

        There must be at least k records.
        """
        reach, groups = self._farthest(points), self._groups(points)
        for start, tiles in self._costs(points, groups):
            folded = tiles.reshape(*tiles.shape[:2], _FOLD, -1).min(axis=2)
            kth = self._kth(folded, tiles, k)
            some = slice(start, start + len(kth))
            limit = _above(kth + 2 * self._error(kth, reach, groups, some))
            tile, query, record = _unfold(folded <= limit[:, None])
            near = tiles[tile, query, record] <= limit[query]
            yield QueryPairs(query[near] + start, (tile * RECORDS + record)[near])

    def near_but_one(self, points: RecordPoints) -> Iterator[tuple[int, QueryPairs]]:
        """For each column and some queries all records that may be nearest by the other columns.

        The costs of all columns are summed once, and those of one are taken off again.
        """
        reach, groups = self._farthest(points), self._groups(points)
        columns = list(enumerate(self._layout.columns))
        queries = self._cells(points)
        records = self._cells(self._points)
        gap, rest = (np.empty((QUERIES, RECORDS), np.float32) for _ in range(2))
        folds = np.empty((len(self._narrow), QUERIES, RECORDS // _FOLD), np.float32)
        for start, tiles in self._costs(points, groups):
            size = tiles.shape[1]
            block = slice(start, start + size)
            for place, column in columns:
                some_queries = _part(queries[place], block)
                upright = _ColumnCells(*(c if c is None else c[:, None] for c in some_queries))
                for number, tile in enumerate(tiles):
                    some = _part(records[place], slice(number * RECORDS, (number + 1) * RECORDS))
                    filled = min(RECORDS, self._count - number * RECORDS)
                    np.copyto(rest[:size], tile)
                    less = rest[:size, :filled]
                    self._take_off(less, some, upright, gap[:size, :filled])
                    folds[number, :size] = rest[:size].reshape(size, _FOLD, -1).min(axis=1)
                folded = folds[:, :size]
                least = folded.min(axis=(0, 2)).astype(np.float64)
                whole = least + self._most(column, reach)
                limit = _above(least + 2 * self._error(whole, reach, groups, block))
                tile, query, record = _unfold(folded <= limit[:, None])
                costs = tiles[tile, query, record]
                record += tile * RECORDS
                inside = record < self._count
                costs, query, record = costs[inside], query[inside], record[inside]
                pairs = _part(records[place], record), _part(some_queries, query)
                self._take_off(costs, *pairs, np.empty_like(costs))
                near = costs <= limit[query]
                yield place, QueryPairs(query[near] + start, record[near])

    def _costs(
        self, points: RecordPoints, groups: Sequence[_NumberGroup]
    ) -> Iterator[tuple[int, Singles]]:
        """The rough costs of some queries at a time: tiles x queries x records.

        The memory is used again for the next queries.
        """
        narrow, wide = self._marks(points)
        tiles = np.empty((len(self._narrow), QUERIES, RECORDS), np.float32)
        space = _Space.take()
        for start in range(0, points.values.shape[1], QUERIES):
            some = slice(start, start + QUERIES)
            costs = tiles[:, : narrow[:, some].shape[1]]
            own = space.part(costs.shape[1])
            for number, tile in enumerate(costs):
                tile[:] = 0
                self._add_mismatches(tile, self._narrow[number], narrow[:, some, None], own)
                self._add_mismatches(tile, self._wide[number], wide[:, some, None], own)
                for group in groups:
                    group.add(tile, number, some, own)
                tile[:, self._count - number * RECORDS :] = np.inf  # padding
            yield start, costs

    def _add_mismatches(self, tile: Singles, records: Array, queries: Array, own: _Space) -> None:
        """Add what differing marks cost."""
        for first in range(0, len(records), _COUNTED):
            own.counts[:] = 0
            some = slice(first, first + _COUNTED)
            for marks, wanted in zip(records[some], queries[some], strict=True):
                np.not_equal(marks, wanted, out=own.flags)
                np.add(own.counts, own.flags.view(np.uint8), out=own.counts)
            np.multiply(own.counts, self._mismatch, out=own.singles)
            np.add(tile, own.singles, out=tile)

    def _groups(self, points: RecordPoints) -> list[_NumberGroup]:
        """The numbers of records and of these queries, rounded where that is precise enough."""
        records, queries = self._singles(self._points), self._singles(points)
        if self._squares:
            return [_Squares.of(records, queries)]
        missing = np.isnan(records).any(axis=1) | np.isnan(queries).any(axis=1)
        rounded = ~missing & (self._layout.distance.kind == "gower")
        left, rows = np.flatnonzero(~rounded), np.flatnonzero(rounded)
        reach = self._farthest(points)
        groups: list[_NumberGroup] = [_Differences.of(records[left], queries[left])]
        for some in (rows[first : first + _SUMMED] for first in range(0, len(rows), _SUMMED)):
            widest = float(2 * reach[some].sum())
            groups.append(_Steps.of(records[some], queries[some], widest))
        return groups

    def _marks(self, points: RecordPoints) -> tuple[Array, Array]:
        """Categories with few and with many values; whether a number is missing is one as well."""
        narrow = np.empty((len(self._layout.places), points.values.shape[1]), np.uint8)
        for row, (column, word, bit) in enumerate(self._layout.places):
            own = (points.bits[word] >> np.uint64(bit)) & np.uint64((1 << slots(column)) - 1)
            narrow[row] = np.bitwise_count(own - np.uint64(1))  # the place of the only bit
        return narrow, points.values[len(self._weights) :].astype(np.int32)

    def _differences(self, out: Singles, numbers: Singles, queries: Singles) -> None:
        """What numbers of one column cost."""
        np.subtract(numbers, queries, out=out)
        if self._squares:
            np.multiply(out, out, out=out)
        else:
            np.abs(out, out=out)

    def _take_off(
        self, costs: Singles, records: _ColumnCells, queries: _ColumnCells, gap: Singles
    ) -> None:
        """Take the costs of one column off; ``gap`` is space for them."""
        if records.numbers is not None and queries.numbers is not None:
            self._differences(gap, records.numbers, queries.numbers)
            np.subtract(costs, np.fmax(gap, 0, out=gap), out=costs)  # missing costs nothing here
        if records.marks is not None and queries.marks is not None:
            np.not_equal(records.marks, queries.marks, out=gap)
            np.multiply(gap, self._mismatch, out=gap)
            np.subtract(costs, gap, out=costs)

    def _cells(self, points: RecordPoints) -> list[_ColumnCells]:
        """The cells of each column."""
        layout, singles = self._layout, self._singles(points)
        numbers = {number.column.name: row for row, number in enumerate(layout.numbers)}
        narrow, wide = self._marks(points)
        marks = {column.name: own for column, own in zip(layout.wide, wide, strict=True)}
        places = [column.name for column, _, _ in layout.places]
        marks |= dict(zip(places, narrow, strict=True))
        return [
            _ColumnCells(
                singles[numbers[column.name]] if column.name in numbers else None,
                marks.get(column.name),
            )
            for column in layout.columns
        ]

    def _most(self, column: Column, reach: Floats) -> float:
        """The most that one column can cost."""
        most = self._layout.distance.mismatch
        for number, farthest in zip(self._layout.numbers, reach, strict=True):
            if number.column is column:
                most += 2 * farthest * (2 * farthest if self._squares else 1)
        return float(most)

    def _kth(self, folded: Singles, tiles: Singles, k: int) -> Floats:
        """For each query a rough cost that at least k records do not exceed."""
        width = folded.shape[2]
        last = self._count - RECORDS * (len(tiles) - 1)
        known = folded if width * (len(tiles) - 1) + min(last, width) >= k else tiles
        lines = known.transpose(1, 0, 2).reshape(known.shape[1], -1)
        return np.partition(lines, k - 1, axis=1)[:, k - 1].astype(np.float64)

    def _error(
        self, costs: Floats, reach: Floats, groups: Sequence[_NumberGroup], some: slice
    ) -> Floats:
        """How far a rough cost of some queries may be from the exact one, if that is near."""
        terms = len(self._weights) + len(self._layout.columns) + 8
        apart = 3 * _ROUNDING * reach
        error = terms * (_ROUNDING * costs + _LEAST)
        error += sum(group.error(costs, some) for group in groups)
        if self._squares:
            far = np.sqrt((apart**2).sum())
            return np.asarray(error + 2 * np.sqrt(np.maximum(costs, 0)) * far + far**2)
        return np.asarray(error + apart.sum())

    def _farthest(self, points: RecordPoints) -> Floats:
        """How far from the middle the numbers of each column are at most, on either side."""
        return np.maximum(self._reach, _reach(self._singles(points)))

    def _singles(self, points: RecordPoints) -> Singles:
        """Numbers as they cost, around the middle of the records."""
        numbers = points.values[: len(self._weights)]
        scaled = (numbers - self._middles[:, None]) * self._weights[:, None]
        with np.errstate(over="ignore"):
            return np.asarray(scaled, np.float32)


def _centres(numbers: Floats) -> Floats:
    """Half way between the lowest and the highest number of each column: the steps are smallest."""
    return np.asarray((np.fmin.reduce(numbers, axis=1) + np.fmax.reduce(numbers, axis=1)) / 2)


def _means(numbers: Floats) -> Floats:
    """The mean of each column: the squares are smallest."""
    known = (~np.isnan(numbers)).sum(axis=1)
    return np.asarray(np.nansum(numbers, axis=1) / np.maximum(known, 1))


def _reach(singles: Singles) -> Floats:
    """The largest number of each column, without its sign."""
    return np.asarray(np.fmax.reduce(np.abs(singles), axis=1, initial=0), np.float64)


def _above(limits: Floats) -> Singles:
    """The next numbers above in single precision."""
    return np.nextafter(limits.astype(np.float32), np.float32(np.inf))


def _unfold(near: Array) -> tuple[Ints, Ints, Ints]:
    """The tile, the query and the place in the tile of every record of the folds that are near."""
    tile, query, fold = np.nonzero(near)
    record = fold[:, None] + near.shape[2] * np.arange(_FOLD)
    return np.repeat(tile, _FOLD), np.repeat(query, _FOLD), record.ravel()


def _part(cells: _ColumnCells, rows: slice | Ints) -> _ColumnCells:
    """The cells of some records."""
    return _ColumnCells(*(None if lines is None else lines[rows] for lines in cells))


def _tiles(lines: Array) -> Array:
    """Lines cut into tiles of equal width: tiles x lines x records, with padding."""
    starts = range(0, lines.shape[1], RECORDS)
    tiles = np.zeros((len(starts), len(lines), RECORDS), lines.dtype)
    for tile, start in zip(tiles, starts, strict=True):
        some = lines[:, start : start + RECORDS]
        tile[:, : some.shape[1]] = some
    return tiles
