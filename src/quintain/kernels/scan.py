"""Scan: compare every pair of records roughly, to find the few that can be nearest.

Where records have many columns, a search tree can leave out next to nothing. Then it is quicker to
compute all costs in single precision: matching categories by one product of matrices, numbers
column by column, in tiles that fit the cache. Rounding has a bound, so no record that can be among
the nearest is lost. The few that are left are then compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from quintain.data.arrays import Array, Floats, Ints, Singles
from quintain.data.schema import Column
from quintain.kernels.distances import Bits, Layout, RecordPoints, slots

QUERIES = 32  # queries of a tile
RECORDS = 4096  # records of a tile: with so many queries it takes half a megabyte
_FOLD = 16  # records of a tile of which only the nearest is looked at first
_WORD = 64  # bits of a word
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
    marks: Singles | None


class Scan:
    """Records under a layout, ready to be compared with every query."""

    def __init__(self, layout: Layout, points: RecordPoints) -> None:
        self._layout = layout
        self._mismatch = np.float32(layout.distance.mismatch)
        self._squares = layout.distance.kind == "euclidean"
        self._count = points.values.shape[1]
        self._weights = np.array([number.weight for number in layout.numbers])
        numbers = points.values[: len(self._weights)]
        lowest, highest = np.fmin.reduce(numbers, axis=1), np.fmax.reduce(numbers, axis=1)
        self._middles = np.nan_to_num((lowest + highest) / 2)
        singles = self._singles(points)
        self._reach = _reach(singles)
        self._numbers = _tiles(singles)
        self._codes = _tiles(points.values[len(self._weights) :])
        self._used = _used_bits(points.bits)
        self._matches = _tiles(_ones(points.bits, self._used))
        self._points = points

    def holds(self, points: RecordPoints) -> bool:
        """Whether single precision can hold the numbers of all records and of these queries."""
        return bool((self._farthest(points) <= _LARGEST).all())

    def near(self, points: RecordPoints, k: int) -> Iterator[QueryPairs]:
        """For some queries at a time all records that may be among the k nearest, and few others.

        There must be at least k records.
        """
        reach = self._farthest(points)
        for start, tiles in self._costs(points):
            folded = tiles.reshape(*tiles.shape[:2], _FOLD, -1).min(axis=2)
            kth = self._kth(folded, tiles, k)
            limit = _above(kth + 2 * self._error(kth, reach))
            tile, query, record = _unfold(folded <= limit[:, None])
            near = tiles[tile, query, record] <= limit[query]
            yield QueryPairs(query[near] + start, (tile * RECORDS + record)[near])

    def near_but_one(self, points: RecordPoints) -> Iterator[tuple[int, QueryPairs]]:
        """For each column and some queries all records that may be nearest by the other columns.

        The costs of all columns are summed once, and those of one are taken off again.
        """
        reach, shape = self._farthest(points), (len(self._matches), QUERIES, RECORDS // _FOLD)
        columns = list(enumerate(self._layout.columns))
        queries = self._cells(points)
        records = self._cells(self._points)
        gap, rest = (np.empty((QUERIES, RECORDS), np.float32) for _ in range(2))
        folds = np.empty(shape, np.float32)
        for start, tiles in self._costs(points):
            size = tiles.shape[1]
            for place, column in columns:
                some_queries = _part(queries[place], slice(start, start + size))
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
                limit = _above(least + 2 * self._error(least + self._most(column, reach), reach))
                tile, query, record = _unfold(folded <= limit[:, None])
                costs = tiles[tile, query, record]
                record += tile * RECORDS
                inside = record < self._count
                costs, query, record = costs[inside], query[inside], record[inside]
                pairs = _part(records[place], record), _part(some_queries, query)
                self._take_off(costs, *pairs, np.empty_like(costs))
                near = costs <= limit[query]
                yield place, QueryPairs(query[near] + start, record[near])

    def _costs(self, points: RecordPoints) -> Iterator[tuple[int, Singles]]:
        """The rough costs of some queries at a time: tiles x queries x records.

        What records without any matching category would cost is left out. The memory is used again
        for the next queries: taking it anew for every tile would cost more than the sums do.
        """
        singles = self._singles(points)
        codes = points.values[len(self._weights) :].astype(np.float32)
        ones = -self._mismatch * _ones(points.bits, self._used).T
        tiles = np.empty((len(self._matches), QUERIES, RECORDS), np.float32)
        gap = np.empty((QUERIES, RECORDS), np.float32)
        for start in range(0, len(ones), QUERIES):
            some = slice(start, start + QUERIES)
            costs = tiles[:, : len(ones[some])]
            for number, tile in enumerate(costs):
                np.matmul(ones[some], self._matches[number], out=tile)
                space = gap[: len(tile)]
                for numbers, queries in zip(self._numbers[number], singles, strict=True):
                    self._differences(space, numbers, queries[some, None])
                    if np.isnan(numbers).any() or np.isnan(queries[some]).any():
                        np.fmax(space, 0, out=space)  # missing costs nothing here: its bits differ
                    np.add(tile, space, out=tile)
                for marks, queries in zip(self._codes[number], codes, strict=True):
                    np.not_equal(marks, queries[some, None], out=space)
                    np.multiply(space, self._mismatch, out=space)
                    np.add(tile, space, out=tile)
                tile[:, self._count - number * RECORDS :] = np.inf  # padding
            yield start, costs

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
        codes = {wide.name: row for row, wide in enumerate(layout.wide, len(self._weights))}
        marks = {name: points.values[row].astype(np.float32) for name, row in codes.items()}
        for column, word, bit in layout.places:
            # A power of two is exact in single precision, and each value has its own.
            own = (points.bits[word] >> np.uint64(bit)) & np.uint64((1 << slots(column)) - 1)
            marks[column.name] = own.astype(np.float32)
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

    def _error(self, costs: Floats, reach: Floats) -> Floats:
        """How far a rough cost may be from the exact one, if that is near a given cost."""
        most = self._layout.distance.mismatch * len(self._layout.places)
        whole = np.maximum(costs + most, 0)
        terms = len(self._weights) + len(self._layout.wide) + 8
        apart = 3 * _ROUNDING * reach
        error = terms * (_ROUNDING * (whole + most) + _LEAST)
        if self._squares:
            far = np.sqrt((apart**2).sum())
            return np.asarray(error + 2 * np.sqrt(whole) * far + far**2)
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


def _used_bits(bits: Bits) -> Ints:
    """The places of the bits that some record has, counted over all words."""
    words = np.bitwise_or.reduce(bits, axis=1)
    return np.flatnonzero(_unpack_word(words))


def _ones(bits: Bits, used: Ints) -> Singles:
    """Some bits as numbers: one line per bit, one column per record."""
    lines = np.empty((len(used), bits.shape[1]), np.float32)
    for number, word in enumerate(bits):
        inside = used // _WORD == number
        lines[inside] = _unpack_word(word)[:, used[inside] % _WORD].T
    return lines


def _unpack_word(word: Bits) -> Array:
    """The bits of one word of each record: records x bits."""
    parts = np.ascontiguousarray(word).view(np.uint8).reshape(len(word), _WORD // 8)
    return np.unpackbits(parts, axis=1, bitorder="little")


def _tiles(lines: Array) -> Singles:
    """Lines cut into tiles of equal width: tiles x lines x records, with padding."""
    starts = range(0, lines.shape[1], RECORDS)
    tiles = np.zeros((len(starts), len(lines), RECORDS), np.float32)
    for tile, start in zip(tiles, starts, strict=True):
        some = lines[:, start : start + RECORDS]
        tile[:, : some.shape[1]] = some
    return tiles
