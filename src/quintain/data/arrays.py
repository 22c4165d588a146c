"""The array types that all stages share, the bytes of an array, its distinct values and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Any array; what it holds depends on the column."""
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
"""Row or person numbers."""
Codes = npt.NDArray[np.int32]
"""Positions in a list of values; -1 is a missing value."""
Mask = npt.NDArray[np.bool_]

MISSING_TIME: int = np.iinfo(np.int64).min
"""What a time column stores for a missing time."""


def array_bytes(array: Array) -> bytes:
    """The content of an array as bytes; the same texts give the same bytes at any array width."""
    if array.dtype.kind == "U":
        return b"text" + "\0".join(array.tolist()).encode() + len(array).to_bytes(8, "big")
    head = array.dtype.str.encode() + str(array.shape).encode()
    return head + np.ascontiguousarray(array).tobytes()


def distinct(values: Array) -> Array:
    """The distinct values in rising order.

    ``np.unique`` alone puts whole numbers into a hash table, which takes 25 times as long as
    sorting for ten million of them; with counts, it sorts.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered, _ = np.unique(values, return_counts=True)
    return np.asarray(ordered)


_SPARSE = 8
"""Whole numbers that span at most so many times their count are looked up, and not sorted."""


def number_values(values: Array) -> Rows:
    """The place of each value among the distinct values in rising order.

    >>> number_values(np.array([30, 10, 30])).tolist()
    [1, 0, 1]
    """
    close = _from_zero(values)
    if close is None:
        return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)
    occurs = np.bincount(close) > 0
    return np.asarray((np.cumsum(occurs) - 1)[close])


def occurrences(values: Array) -> Ints:
    """How often each distinct value occurs, in the order of the values.

    >>> occurrences(np.array([30, 10, 30])).tolist()
    [1, 2]
    """
    close = _from_zero(values)
    if close is None:
        return np.unique(values, return_counts=True)[1]
    counts = np.bincount(close)
    return np.asarray(counts[counts > 0])


def _from_zero(values: Array) -> Ints | None:
    """Whole numbers less the least of them; None if they lie too far apart to be looked up."""
    if values.dtype.kind != "i" or not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    return values.astype(np.int64) - low if high - low < _SPARSE * len(values) else None


def number_rows(columns: Sequence[Array], rows: int) -> Rows:
    """The place of each row among the distinct rows, sorted by the first column, then the next.

    Most rows differ from all others in a few columns. So further columns are looked at only for
    those that do not.

    >>> number_rows([np.array([2, 1, 2, 2]), np.array([0.5, 0.1, 0.2, 0.5])], 4).tolist()
    [2, 0, 1, 2]
    """
    keys = np.zeros(rows, np.int64)
    for place, column in enumerate(columns, start=1):
        codes = number_values(column)
        keys = number_values(keys * (codes.max(initial=0) + 1) + codes)
        alike = np.flatnonzero(np.bincount(keys)[keys] > 1)
        if not len(alike):
            break
        if 2 * len(alike) <= rows and place < len(columns):
            within = np.zeros(rows, np.int64)
            rest = [column[alike] for column in (keys, *columns[place:])]
            within[alike] = number_rows(rest, len(alike))
            return number_values(keys * (len(alike) + 1) + within)
    return keys
