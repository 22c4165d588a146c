"""Scan: compare every pair of records roughly, to find the few that can be nearest.

Where records have many columns, a search tree can leave out next to nothing. Then it is quicker to
compute all costs in single precision: matching categories by one product of matrices, numbers
column by column, in tiles that fit the cache. Rounding has a bound, so no record that can be among
the nearest is lost. Whoever asks compares the few that are left exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Floats, Ints
from quintain.kernels.distances import Bits, Layout, RecordPoints

Singles = npt.NDArray[np.float32]

QUERIES = 32  # queries of a tile
RECORDS = 4096  # records of a tile: with so many queries it takes half a megabyte
_FOLD = 16  # records of a tile of which only the nearest is looked at first
_ROUNDING = float(np.finfo(np.float32).eps)
_LARGEST = 1e17  # the square of a larger number may be too large for single precision
_LEAST = 1e-37  # smaller costs may be lost in single precision


class Pairs(NamedTuple):
    """Queries and records, pair by pair."""

    query: Ints
    record: Ints


class Scan:
    """Records under a layout, ready to be compared with every query."""

    def __init__(self, layout: Layout, points: RecordPoints) -> None:
        self._layout = layout
        self._count = points.values.shape[1]
        self._weights = np.array([number.weight for number in layout.numbers])
        numbers, codes = np.split(points.values, [len(self._weights)])
        lowest, highest = np.fmin.reduce(numbers, axis=1), np.fmax.reduce(numbers, axis=1)
        self._middles = np.nan_to_num((lowest + highest) / 2)
        singles = self._singles(points)
        self._reach = _reach(singles)
        self._missing = _tiles(np.isnan(singles), np.bool_)
        self._numbers, self._codes = _tiles(np.nan_to_num(singles)), _tiles(codes)
        ones = _ones(points.bits)
        self._used = np.flatnonzero(ones.any(axis=1))
        self._matches = _tiles(ones[self._used])

    def holds(self, points: RecordPoints) -> bool:
        """Whether single precision can hold the numbers of all records and of these queries."""
        return bool((np.maximum(self._reach, _reach(self._singles(points))) <= _LARGEST).all())

    def near(self, points: RecordPoints, k: int) -> Iterator[Pairs]:
        """For some queries at a time all records that may be among the k nearest, and few others.

        There must be at least k records.
        """
        singles = self._singles(points)
        codes = points.values[len(self._weights) :].astype(np.float32)
        ones = -np.float32(self._layout.distance.mismatch) * _ones(points.bits)[self._used].T
        reach = np.maximum(self._reach, _reach(singles))
        # Memory that is taken anew for every tile costs more than the sums do.
        tiles = np.empty((len(self._matches), QUERIES, RECORDS), np.float32)
        gap = np.empty((QUERIES, RECORDS), np.float32)
        for start in range(0, len(ones), QUERIES):
            some = slice(start, start + QUERIES)
            costs = tiles[:, : len(ones[some])]
            for number, tile in enumerate(costs):
                space = gap[: len(tile)]
                self._fill(tile, number, ones[some], singles[:, some], codes[:, some], space)
            query, record = self._within(costs, k, reach)
            yield Pairs(query + start, record)

    def _fill(
        self,
        tile: Singles,
        number: int,
        ones: Singles,
        singles: Singles,
        codes: Singles,
        gap: Singles,
    ) -> None:
        """The costs of one tile, less what records without any matching category would cost."""
        np.matmul(ones, self._matches[number], out=tile)
        squared = self._layout.distance.kind == "euclidean"
        columns = zip(self._numbers[number], self._missing[number], singles, strict=True)
        for records, missing, queries in columns:
            np.subtract(records, queries[:, None], out=gap)
            np.multiply(gap, gap, out=gap) if squared else np.abs(gap, out=gap)
            if missing.any():  # missing does not differ here: its bits differ
                gap[:, missing] = 0
            if np.isnan(queries).any():
                gap[np.isnan(queries)] = 0
            np.add(tile, gap, out=tile)
        for records, queries in zip(self._codes[number], codes, strict=True):
            np.not_equal(records, queries[:, None], out=gap)
            np.multiply(gap, np.float32(self._layout.distance.mismatch), out=gap)
            np.add(tile, gap, out=tile)
        tile[:, self._count - number * RECORDS :] = np.inf  # padding

    def _within(self, tiles: Singles, k: int, reach: Floats) -> Pairs:
        """The records of which the rough cost does not exceed what the k-th may cost."""
        count, width = tiles.shape[1], RECORDS // _FOLD
        folded = tiles.reshape(len(tiles), count, _FOLD, width).min(axis=2)
        kth = self._kth(folded, tiles, k)
        limit = np.nextafter((kth + 2 * self._error(kth, reach)).astype(np.float32), np.inf)
        tile, query, place = np.nonzero(folded <= limit[:, None])
        record = place[:, None] + width * np.arange(_FOLD)
        near = np.nonzero(tiles[tile[:, None], query[:, None], record] <= limit[query][:, None])
        return Pairs(query[near[0]], tile[near[0]] * RECORDS + record[near])

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
        if self._layout.distance.kind == "euclidean":
            far = np.sqrt((apart**2).sum())
            return np.asarray(error + 2 * np.sqrt(whole) * far + far**2)
        return np.asarray(error + apart.sum())

    def _singles(self, points: RecordPoints) -> Singles:
        """Numbers as they cost, around the middle of the records."""
        numbers = points.values[: len(self._weights)]
        scaled = (numbers - self._middles[:, None]) * self._weights[:, None]
        with np.errstate(over="ignore"):
            return np.asarray(scaled, np.float32)


def _reach(singles: Singles) -> Floats:
    """The largest number of each column, without its sign."""
    return np.asarray(np.fmax.reduce(np.abs(singles), axis=1, initial=0), np.float64)


def _ones(bits: Bits) -> Singles:
    """Bits as numbers: one line per bit, one column per record."""
    words = np.ascontiguousarray(bits).view(np.uint8).reshape(*bits.shape, 8)
    unpacked = np.unpackbits(words, axis=2, bitorder="little")
    return unpacked.transpose(0, 2, 1).reshape(-1, bits.shape[1]).astype(np.float32)


def _tiles(lines: Array, kind: type[np.generic] = np.float32) -> Array:
    """Lines cut into tiles of equal width: tiles x lines x records, with padding."""
    count = -(-lines.shape[1] // RECORDS)
    padded = np.zeros((len(lines), count * RECORDS), kind)
    padded[:, : lines.shape[1]] = lines
    return np.ascontiguousarray(padded.reshape(len(lines), count, RECORDS).transpose(1, 0, 2))
