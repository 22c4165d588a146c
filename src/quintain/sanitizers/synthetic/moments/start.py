"""The first draft of the moments generator: records with the right values and no dependence.

Variables that are 0 or 1 are stored as bits, so that a million records of AMIC take 25 MB. They
become a matrix of floats block by block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.kernels.dummies import Moments, numbers
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation

BLOCK = 1 << 14
"""The number of records per block; a multiple of 8, so that a block starts at a whole byte."""


class Place(NamedTuple):
    """Where a column is among the dummy variables: its number, and its 0-or-1 variables."""

    column: Column
    number: int | None
    flags: slice


def places(schema: Schema) -> list[Place]:
    """List the places of the columns, in the order of :func:`quintain.kernels.dummies.dummies`."""
    out, at = [], 0
    for column in schema.columns:
        number = None if column.kind == "category" else at
        first = at if number is None else at + 1
        at = first + len(column.values) + column.nullable
        out.append(Place(column, number, slice(first, at)))
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """The records to start from, with one row per variable that is not constant.

    Parameters
    ----------
    rows : the number of records.
    numeric : which variables are numbers.
    numbers : the numbers, relative to their mean in the original.
    bits : the other variables, eight records per byte.
    """

    rows: int
    numeric: Mask
    numbers: Floats
    bits: npt.NDArray[np.uint8]

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Give all records in blocks, each with the number of its first record."""
        for first in range(0, self.rows, BLOCK):
            count = min(BLOCK, self.rows - first)
            block = np.empty((len(self.numeric), count))
            block[self.numeric] = self.numbers[:, first : first + count]
            packed = self.bits[:, first // 8 : (first + count + 7) // 8]
            block[~self.numeric] = np.unpackbits(packed, axis=1, count=count)
            yield first, block

    def moments(self) -> tuple[Floats, Floats]:
        """Compute the mean and the sample covariance of the variables."""
        total = np.zeros(len(self.numeric))
        products = np.zeros((len(total), len(total)))
        for _, block in self.blocks():
            total += block.sum(axis=1)
            products += block @ block.T
        mean = total / self.rows
        return mean, (products - self.rows * np.outer(mean, mean)) / max(1, self.rows - 1)


def draw_start(
    data: Table, wanted: Moments, rows: int, *, joint: bool, kde: bool, noise: Noise
) -> Start:
    """Draw the records to start from.

    For up to as many records as the data has, each column is permuted. For more, its values are
    drawn at random.

    Parameters
    ----------
    wanted : the moments of the data.
    joint : whether exactly one value of a category is 1; otherwise each is drawn on its own.
    kde : whether standard normal noise is added to integers.
    """
    numeric: list[bool] = []
    columns: list[Floats] = []
    bits: list[npt.NDArray[np.uint8]] = []
    for place in places(data.schema):
        at = place.number
        if at is not None and not wanted.constant[at]:
            values = fill_missing(place.column, data) - wanted.mean[at]
            columns.append(values[_picked(len(data), rows, noise)])
            if kde and place.column.kind == "integer":
                columns[-1] += _normal(rows, noise)
            numeric.append(True)
        varying = np.flatnonzero(~wanted.constant[place.flags])
        if len(varying):
            draw = _joint if joint else _independent
            flags = draw(_codes(place, data), varying, rows, noise)
            bits += [np.packbits(flag) for flag in flags]
            numeric += [False] * len(varying)
    return Start(
        rows,
        np.array(numeric, bool),
        np.array(columns).reshape(len(columns), rows),
        np.array(bits, np.uint8).reshape(len(bits), (rows + 7) // 8),
    )


def fill_missing(column: Column, data: Table) -> Floats:
    """Give a numeric column with the mean in place of missing values."""
    values = numbers(column, data)
    missing = np.isnan(values)
    return np.where(missing, values[~missing].mean() if not missing.all() else 0.0, values)


def _codes(place: Place, data: Table) -> Rows:
    """Give the number of the flag that is 1 in each record; a number past the last if none is."""
    if place.number is not None:
        return np.where(np.isnan(numbers(place.column, data)), 0, 1)
    codes = data.columns[place.column.name]
    return np.where(codes < 0, place.column.size, codes).astype(np.int64)


def _picked(size: int, rows: int, noise: Noise) -> Rows:
    return permutation(size, noise)[:rows] if rows <= size else noise.integers(size, rows)


def _independent(codes: Rows, varying: Rows, rows: int, noise: Noise) -> Iterator[Mask]:
    """Draw every flag on its own, as often 1 as in the data; no flag becomes constant."""
    for value in varying:
        flag = codes == value
        if rows <= len(codes):
            flag = flag[permutation(len(codes), noise)[:rows]]
        else:
            # 32 random bits are enough, since the map corrects shares; 64 would be twice the work.
            coins = np.frombuffer(noise.bytes(4 * rows), "<u4")
            flag = coins < np.uint32(round(flag.mean() * 2**32))
        if flag.all() or not flag.any():
            flag[noise.integers(rows, 1)] ^= True
        yield flag


def _joint(codes: Rows, varying: Rows, rows: int, noise: Noise) -> Iterator[Mask]:
    """Draw the values of random records; no value is lost if there are enough records."""
    picked = codes[_picked(len(codes), rows, noise)]
    values = np.unique(codes)
    if len(values) <= rows and len(np.unique(picked)) < len(values):
        picked[permutation(rows, noise)[: len(values)]] = values
    for value in varying:
        yield picked == value


def _normal(size: int, noise: Noise) -> Floats:
    from scipy.special import ndtri

    draws: Floats = ndtri(np.maximum(noise.uniform(size), 2.0**-54))
    return draws
