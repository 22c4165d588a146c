"""The array types that all stages share, the bytes of an array, and its distinct values."""

from __future__ import annotations

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
