"""Superset sums: how many records agree with a target in each of all 2**d sets of columns.

Each record is reduced to the set of columns in which it agrees with the target, as the bits of a
number. Counting those numbers gives how many records agree in exactly these columns. The sum over
all supersets (a zeta transform) then gives how many agree in at least these.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Ints

MOST_COLUMNS = 16
"""With more columns than this there are too many sets of them to count in memory."""


def agreement_counts(columns: Sequence[Array], targets: Sequence[Array]) -> Ints:
    """How many records agree with each target in exactly each set of columns.

    Parameters
    ----------
    columns : the records, one array of codes per column.
    targets : the targets, one array of codes per column, in the same order.

    Returns one row per target. The set of the columns j has the number ``sum(2**j)``.

    >>> agreement_counts([np.array([7, 7, 8]), np.array([1, 2, 2])], [np.array([7]), np.array([2])])
    array([[0, 1, 1, 1]])
    """
    count, size = len(targets[0]), 1 << len(columns)
    if len(columns) > MOST_COLUMNS:
        raise ValueError(f"{len(columns)} columns have too many sets; the limit is {MOST_COLUMNS}")
    out = np.empty((count, size), np.int64)
    for target in range(count):
        sets = np.zeros(len(columns[0]), np.int64)
        for low in range(0, len(columns), 8):
            sets += _agreement(columns[low : low + 8], targets[low : low + 8], target) << low
        out[target] = np.bincount(sets, minlength=size)
    return out


def _agreement(columns: Sequence[Array], targets: Sequence[Array], target: int) -> Ints:
    """In which of up to eight columns each record agrees with a target, as bits."""
    bits = np.zeros(len(columns[0]), np.uint8)  # one byte per record: eight times faster than words
    for place, (values, wanted) in enumerate(zip(columns, targets, strict=True)):
        same = (values == wanted[target]).view(np.uint8)
        bits |= np.left_shift(same, place, out=same)
    return bits.astype(np.int64)


def superset_sums(counts: Ints) -> Ints:
    """Sum over all supersets, for each set of bits in the last axis.

    >>> superset_sums(np.array([0, 1, 1, 1]))
    array([3, 2, 2, 1])
    """
    size = counts.shape[-1]
    low = 1 << (size.bit_length() // 2)
    # Sums of long stretches are fast. So the low bits are swapped with the high ones and back.
    high = _upper_sums(counts.reshape(-1, size // low, low).copy())
    both = _upper_sums(high.transpose(0, 2, 1).copy())
    return np.ascontiguousarray(both.transpose(0, 2, 1)).reshape(counts.shape)


def _upper_sums(table: Ints) -> Ints:
    """Sum over all supersets of the bits of the middle axis, in place."""
    blocks, size, length = table.shape
    step = 1
    while step < size:
        halves = table.reshape(blocks, size // (2 * step), 2, step, length)
        halves[:, :, 0] += halves[:, :, 1]
        step *= 2
    return table


@lru_cache(maxsize=32)
def set_sizes(columns: int) -> npt.NDArray[np.int64]:
    """How many columns each set has, by the number of the set.

    >>> set_sizes(2).tolist()
    [0, 1, 1, 2]
    """
    sizes = np.zeros(1, np.int64)
    for _ in range(columns):
        sizes = np.concatenate([sizes, sizes + 1])
    sizes.flags.writeable = False
    return sizes
