"""Scan: compare every pair of records roughly, to find the few that can be nearest.

Where records have many columns, a search tree can leave out next to nothing. Then it is quicker to
compute all costs roughly, column by column, in tiles that fit the cache: differing categories are
counted in bytes, and numbers are subtracted in single precision. Where every column has about the
same range, whole costs are counted in short integers, of which a processor adds twice as many at a
time. Squares of differences are one matrix product. Rounding has a bound, so no record that can be
among the nearest is lost. The few that are left are then compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from quintain.data.arrays import Array, Floats, Ints, Singles
from quintain.data.column import Column
from quintain.kernels.distances import Layout, RecordPoints, slots

QUERIES = 32  # queries of a tile
RECORDS = 4096  # records of a tile: with so many queries it takes half a megabyte
_FOLD = 16  # records of a tile of which only the nearest is looked at first
_COUNTED = 255  # columns whose mismatches are counted together in bytes
_STEPS = 32_000  # what a cost in short integers may reach; rounding adds one step per column
_FINEST = 64  # the fewest steps that a mismatch may cost; fewer would round numbers too much
_PADDING = 32_767  # the largest short integer
_ROUNDING = float(np.finfo(np.float32).eps)
_LARGEST = 1e17  # the square of a larger number may be too large for single precision
_LEAST = 1e-37  # smaller costs may be lost in single precision


class QueryPairs(NamedTuple):
    """Queries and records, pair by pair."""

    query: Ints
    record: Ints


class _ColumnCells(NamedTuple):
    """One column of all records: as numbers, and as marks that are equal or differ, or either.

    Parameters
    ----------
    known : which numbers are not missing, where some may be.
    """

    numbers: Array | None
    known: Array | None
    marks: Array | None


class _Unit(NamedTuple):
    """In what rough costs are counted: as they are in single precision, or in steps as shorts.

    Parameters
    ----------
    step : what one unit costs.
    mismatch : how many units a differing mark costs; its type is that of rough costs.
    """

    step: float
    mismatch: np.float32 | np.int16

    @classmethod
    def of(cls, layout: Layout, reach: Floats) -> _Unit:
        """Shorts where differences count as they are, and every column costs about as much."""
        mismatch = layout.distance.mismatch
        if layout.distance.kind == "gower":
            widest = mismatch * len(layout.columns) + 2 * float(reach.sum())
            steps = int(mismatch * _STEPS / widest)
            if steps >= _FINEST:
                return cls(mismatch / steps, np.int16(steps))
        return cls(1.0, np.float32(mismatch))

    @property
    def short(self) -> bool:
        return isinstance(self.mismatch, np.int16)

    @property
    def padding(self) -> float:
        """More than any record costs."""
        return _PADDING if self.short else np.inf

    def limit(self, costs: Floats) -> Array:
        """The least rough costs that are above these."""
        if not self.short:
            return np.asarray(np.nextafter(costs.astype(np.float32), np.float32(np.inf)))
        return np.asarray(np.minimum(np.floor(costs / self.step) + 1, _PADDING - 1), np.int16)


class _Space(NamedTuple):
    """Memory for what is computed on the way; taking it anew would cost more than the sums do."""

    gaps: Array
    counts: Array
    flags: Array

    @classmethod
    def take(cls, unit: _Unit) -> _Space:
        kinds = (unit.mismatch.dtype, np.uint8, np.bool_)
        return cls(*(np.empty((QUERIES, RECORDS), kind) for kind in kinds))

    def part(self, queries: int) -> _Space:
        return _Space(*(array[:queries] for array in self))


class _NumberGroup(Protocol):
    """Some columns of numbers on both sides."""

    def add(self, tile: Array, number: int, some: slice, own: _Space) -> None:
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

    def add(self, tile: Array, number: int, some: slice, own: _Space) -> None:
        """Add the differences, column by column."""
        for numbers, wanted in zip(self.records[number], self.queries[:, some, None], strict=True):
            np.subtract(numbers, wanted, out=own.gaps)
            np.abs(own.gaps, out=own.gaps)
            np.fmax(own.gaps, 0, out=own.gaps)  # missing costs nothing here: its marks differ
            np.add(tile, own.gaps, out=tile)

    def error(self, costs: Floats, some: slice) -> float:
        """None that the rounding of a sum does not have."""
        return 0.0


class _Steps(NamedTuple):
    """Numbers that are rounded to short integers.

    Parameters
    ----------
    records, queries : tiles x columns x records, and columns x queries.
    known : where numbers of some column may be missing, which are not, for both sides as above.
    step : what one step costs.
    """

    records: Array
    queries: Array
    known: list[tuple[Array, Array] | None]
    step: float

    def add(self, tile: Array, number: int, some: slice, own: _Space) -> None:
        """Add the differences, column by column."""
        pairs = zip(self.records[number], self.queries[:, some, None], self.known, strict=True)
        for numbers, wanted, known in pairs:
            np.subtract(numbers, wanted, out=own.gaps)
            np.abs(own.gaps, out=own.gaps)
            if known is not None:
                np.multiply(own.gaps, known[0][number], out=own.gaps)
                np.multiply(own.gaps, known[1][some, None], out=own.gaps)
            np.add(tile, own.gaps, out=tile)

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

    def add(self, tile: Array, number: int, some: slice, own: _Space) -> None:
        """Add the squares of all columns at once."""
        np.matmul(self.queries[some], self.records[number], out=own.gaps)
        np.add(tile, own.gaps, out=tile)

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
        reach, unit = self._farthest(points), self._unit(points)
        group = self._group(points, unit)
        folds = np.empty((len(self._narrow), QUERIES, RECORDS // _FOLD), unit.mismatch.dtype)
        for start, tiles in self._costs(points, unit, group, folds):
            folded = folds[:, : tiles.shape[1]]
            kth = self._kth(folded, tiles, k) * unit.step
            some = slice(start, start + len(kth))
            limit = unit.limit(kth + 2 * self._error(kth, reach, group, some))
            tile, query, record = _unfold(folded <= limit[:, None])
            near = tiles[tile, query, record] <= limit[query]
            yield QueryPairs(query[near] + start, (tile * RECORDS + record)[near])

    def near_but_one(self, points: RecordPoints) -> Iterator[tuple[int, QueryPairs]]:
        """For each column and some queries all records that may be nearest by the other columns.

        The costs of all columns are summed once, and those of one are taken off again.
        """
        reach, unit = self._farthest(points), self._unit(points)
        group = self._group(points, unit)
        columns = list(enumerate(self._layout.columns))
        queries = self._cells(points, unit)
        records = self._cells(self._points, unit)
        kind = unit.mismatch.dtype
        gap, rest = (np.empty((QUERIES, RECORDS), kind) for _ in range(2))
        folds = np.empty((len(self._narrow), QUERIES, RECORDS // _FOLD), kind)
        for start, tiles in self._costs(points, unit, group):
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
                    self._take_off(less, some, upright, unit, gap[:size, :filled])
                    _fold(rest[:size], out=folds[number, :size])
                folded = folds[:, :size]
                least = folded.min(axis=(0, 2)) * unit.step
                whole = least + self._most(column, reach)
                limit = unit.limit(least + 2 * self._error(whole, reach, group, block))
                tile, query, record = _unfold(folded <= limit[:, None])
                costs = tiles[tile, query, record]
                record += tile * RECORDS
                inside = record < self._count
                costs, query, record = costs[inside], query[inside], record[inside]
                pairs = _part(records[place], record), _part(some_queries, query)
                self._take_off(costs, *pairs, unit, np.empty_like(costs))
                near = costs <= limit[query]
                yield place, QueryPairs(query[near] + start, record[near])

    def _costs(
        self,
        points: RecordPoints,
        unit: _Unit,
        group: _NumberGroup,
        folds: Array | None = None,
    ) -> Iterator[tuple[int, Array]]:
        """The rough costs of some queries at a time: tiles x queries x records.

        The memory is used again for the next queries. So is that of ``folds``, which gets the
        least cost of every fold while the tile is in the cache.
        """
        marks = self._marks(points)
        tiles = np.empty((len(self._narrow), QUERIES, RECORDS), unit.mismatch.dtype)
        space, count = _Space.take(unit), points.values.shape[1]
        for start in range(0, count, QUERIES):
            some = slice(start, min(count, start + QUERIES))
            costs = tiles[:, : some.stop - start]
            own = space.part(costs.shape[1])
            for number, tile in enumerate(costs):
                self._set_mismatches(tile, number, marks, some, unit, own)
                group.add(tile, number, some, own)
                tile[:, self._count - number * RECORDS :] = unit.padding
                if folds is not None:
                    _fold(tile, out=folds[number, : len(tile)])
            yield start, costs

    def _set_mismatches(
        self,
        tile: Array,
        number: int,
        queries: tuple[Array, Array],
        some: slice,
        unit: _Unit,
        own: _Space,
    ) -> None:
        """Set a tile to what differing marks cost."""
        lines = [
            (marks, wanted[some, None])
            for records, kind in zip((self._narrow, self._wide), queries, strict=True)
            for marks, wanted in zip(records[number], kind, strict=True)
        ]
        for first in range(0, max(1, len(lines)), _COUNTED):
            own.counts[:] = 0
            for marks, wanted in lines[first : first + _COUNTED]:
                np.not_equal(marks, wanted, out=own.flags)
                np.add(own.counts, own.flags.view(np.uint8), out=own.counts)
            np.multiply(own.counts, unit.mismatch, out=own.gaps if first else tile)
            if first:
                np.add(tile, own.gaps, out=tile)

    def _unit(self, points: RecordPoints) -> _Unit:
        """In what the costs of these queries are counted."""
        return _Unit.of(self._layout, self._farthest(points))

    def _group(self, points: RecordPoints, unit: _Unit) -> _NumberGroup:
        """The numbers of records and of these queries, rounded where that is precise enough."""
        records, queries = self._singles(self._points), self._singles(points)
        if self._squares:
            return _Squares.of(records, queries)
        if not unit.short:
            return _Differences(_tiles(records), queries)
        known = [
            None if both.all() else (_tiles(both[None, : self._count])[:, 0], both[self._count :])
            for both in (~np.isnan(np.hstack([records, queries]))).astype(np.int16)
        ]
        shorts = (_shorts(side, unit) for side in (records, queries))
        return _Steps(_tiles(next(shorts)), next(shorts), known, unit.step)

    def _marks(self, points: RecordPoints) -> tuple[Array, Array]:
        """Categories with few and with many values; whether a number is missing is one as well."""
        narrow = np.empty((len(self._layout.places), points.values.shape[1]), np.uint8)
        for row, (column, word, bit) in enumerate(self._layout.places):
            own = (points.bits[word] >> np.uint64(bit)) & np.uint64((1 << slots(column)) - 1)
            narrow[row] = np.bitwise_count(own - np.uint64(1))  # the place of the only bit
        return narrow, points.values[len(self._weights) :].astype(np.int32)

    def _differences(self, out: Array, numbers: Array, queries: Array) -> None:
        """What numbers of one column cost."""
        np.subtract(numbers, queries, out=out)
        if self._squares:
            np.multiply(out, out, out=out)
        else:
            np.abs(out, out=out)

    def _take_off(
        self,
        costs: Array,
        records: _ColumnCells,
        queries: _ColumnCells,
        unit: _Unit,
        gap: Array,
    ) -> None:
        """Take the costs of one column off; ``gap`` is space for them."""
        if records.numbers is not None and queries.numbers is not None:
            self._differences(gap, records.numbers, queries.numbers)
            if not unit.short:
                np.fmax(gap, 0, out=gap)  # missing costs nothing here
            elif records.known is not None and queries.known is not None:
                np.multiply(gap, records.known, out=gap)
                np.multiply(gap, queries.known, out=gap)
            np.subtract(costs, gap, out=costs)
        if records.marks is not None and queries.marks is not None:
            np.multiply(records.marks != queries.marks, unit.mismatch, out=gap)
            np.subtract(costs, gap, out=costs)

    def _cells(self, points: RecordPoints, unit: _Unit) -> list[_ColumnCells]:
        """The cells of each column."""
        layout, singles = self._layout, self._singles(points)
        known = (~np.isnan(singles)).astype(np.int16)
        lines = _shorts(singles, unit) if unit.short else singles
        numbers = {number.column.name: row for row, number in enumerate(layout.numbers)}
        narrow, wide = self._marks(points)
        marks = {column.name: codes for column, codes in zip(layout.wide, wide, strict=True)}
        places = [column.name for column, _, _ in layout.places]
        marks |= dict(zip(places, narrow, strict=True))
        rows = [(numbers.get(column.name), column) for column in layout.columns]
        return [
            _ColumnCells(
                None if row is None else lines[row],
                None if row is None or not column.nullable else known[row],
                marks.get(column.name),
            )
            for row, column in rows
        ]

    def _most(self, column: Column, reach: Floats) -> float:
        """The most that one column can cost."""
        most = self._layout.distance.mismatch
        for number, farthest in zip(self._layout.numbers, reach, strict=True):
            if number.column is column:
                most += 2 * farthest * (2 * farthest if self._squares else 1)
        return float(most)

    def _kth(self, folded: Array, tiles: Array, k: int) -> Floats:
        """For each query a rough cost that at least k records do not exceed."""
        width = folded.shape[2]
        last = self._count - RECORDS * (len(tiles) - 1)
        known = folded if width * (len(tiles) - 1) + min(last, width) >= k else tiles
        lines = known.transpose(1, 0, 2).reshape(known.shape[1], -1)
        return np.partition(lines, k - 1, axis=1)[:, k - 1].astype(np.float64)

    def _error(self, costs: Floats, reach: Floats, group: _NumberGroup, some: slice) -> Floats:
        """How far a rough cost of some queries may be from the exact one, if that is near."""
        terms = len(self._weights) + len(self._layout.columns) + 8
        apart = 3 * _ROUNDING * reach
        error = terms * (_ROUNDING * costs + _LEAST) + group.error(costs, some)
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


def _shorts(numbers: Singles, unit: _Unit) -> Array:
    """Numbers in steps, as short integers; 0 where they are missing."""
    return np.asarray(np.rint(np.nan_to_num(numbers) / unit.step), np.int16)


def _fold(tile: Array, out: Array) -> None:
    """The least cost of every fold: of records that are as far from each other as possible."""
    tile.reshape(len(tile), _FOLD, -1).min(axis=1, out=out)


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
