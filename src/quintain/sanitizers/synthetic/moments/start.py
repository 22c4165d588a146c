"""Where the generator of moments starts: records with the right values, and no dependence.

Variables that are 0 or 1 are held as bits, so that a million records of AMIC are 25 MB. They become
a matrix of floats block by block.
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
"""Records at a time; a multiple of 8, so that a block begins with a whole byte of bits."""


class Place(NamedTuple):
    """Where a column stands among the dummy variables: its number, and what is 0 or 1."""

    column: Column
    number: int | None
    flags: slice


def places(schema: Schema) -> list[Place]:
    """The places of the columns, in the order of :func:`quintain.kernels.dummies.dummies`."""
    out, at = [], 0
    for column in schema.columns:
        number = None if column.kind == "category" else at
        first = at if number is None else at + 1
        at = first + len(column.values) + column.nullable
        out.append(Place(column, number, slice(first, at)))
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Records to start from: one row for each variable that is not constant.

    Parameters
    ----------
    rows : the number of records.
    numeric : which variables are numbers.
    numbers : the numbers, counted from their mean in the original.
    bits : the other variables, eight records to a byte.
    """

    rows: int
    numeric: Mask
    numbers: Floats
    bits: npt.NDArray[np.uint8]

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """All records in blocks, each with the number of its first record."""
        for first in range(0, self.rows, BLOCK):
            count = min(BLOCK, self.rows - first)
            block = np.empty((len(self.numeric), count))
            block[self.numeric] = self.numbers[:, first : first + count]
            packed = self.bits[:, first // 8 : (first + count + 7) // 8]
            block[~self.numeric] = np.unpackbits(packed, axis=1, count=count)
            yield first, block

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and sample covariance of the variables."""
        total = np.zeros(len(self.numeric))
        products = np.zeros((len(total), len(total)))
        for _, block in self.blocks():
            total += block.sum(axis=1)
            products += block @ block.T
        mean = total / self.rows
        return mean, (products - self.rows * np.outer(mean, mean)) / max(1, self.rows - 1)


def drawn(
    data: Table, wanted: Moments, rows: int, *, joint: bool, kde: bool, noise: Noise
) -> Start:
    """Draw the records to start from.

    Up to as many as there are in the data, a column is permuted; beyond, it is drawn from.

    Parameters
    ----------
    wanted : the moments of the data.
    joint : whether exactly one value of a category is 1, or each is drawn by itself.
    kde : whether standard normal noise is added to integers.
    """
    numeric: list[bool] = []
    found: list[Floats] = []
    bits: list[npt.NDArray[np.uint8]] = []
    for place in places(data.schema):
        at = place.number
        if at is not None and not wanted.constant[at]:
            held = filled(place.column, data) - wanted.mean[at]
            found.append(held[_picked(len(data), rows, noise)])
            if kde and place.column.kind == "integer":
                found[-1] += _normal(rows, noise)
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
        np.array(found).reshape(len(found), rows),
        np.array(bits, np.uint8).reshape(len(bits), (rows + 7) // 8),
    )


def filled(column: Column, data: Table) -> Floats:
    """A numeric column with the mean where a value is missing."""
    held = numbers(column, data)
    gone = np.isnan(held)
    return np.where(gone, held[~gone].mean() if not gone.all() else 0.0, held)


def _codes(place: Place, data: Table) -> Rows:
    """The number of the flag that is 1; none has the number of a value that is not missing."""
    if place.number is not None:
        return np.where(np.isnan(numbers(place.column, data)), 0, 1)
    held = data.columns[place.column.name]
    return np.where(held < 0, place.column.size, held).astype(np.int64)


def _picked(size: int, rows: int, noise: Noise) -> Rows:
    return permutation(size, noise)[:rows] if rows <= size else noise.integers(size, rows)


def _independent(codes: Rows, varying: Rows, rows: int, noise: Noise) -> Iterator[Mask]:
    """Every flag by itself, as often as in the data; none comes out constant."""
    for value in varying:
        flag = codes == value
        if rows <= len(codes):
            flag = flag[permutation(len(codes), noise)[:rows]]
        else:
            # 32 random bits are plenty for what is whitened anyway, and half the work of 64.
            coins = np.frombuffer(noise.bytes(4 * rows), "<u4")
            flag = coins < np.uint32(round(flag.mean() * 2**32))
        if flag.all() or not flag.any():
            flag[noise.integers(rows, 1)] ^= True
        yield flag


def _joint(codes: Rows, varying: Rows, rows: int, noise: Noise) -> Iterator[Mask]:
    """The values of records drawn at random; no value is lost if there is room for all."""
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
