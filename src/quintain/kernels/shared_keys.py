"""Shared keys: leave out keys that are on one side alone before anything is sorted."""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Array, Mask, Rows

_PLACE_BITS = 18  # the table in which keys of both sides meet fits the cache
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # an odd number with well-mixed bits


def rows_that_may_meet(one: Array, other: Array) -> tuple[Rows, Rows]:
    """The rows of either side whose key the other side may have, too.

    Every key of both sides is kept, and few others: those that share a place of a small table with
    a key of the other side.

    Parameters
    ----------
    one, other : one number of 64 bits for each row.

    >>> rows, other_rows = rows_that_may_meet(np.array([5, 7, 7]), np.array([7, 8]))
    >>> rows.tolist(), other_rows.tolist()
    ([1, 2], [0])
    """
    places = [
        (keys.view(np.uint64) * _FACTOR) >> np.uint64(64 - _PLACE_BITS) for keys in (one, other)
    ]
    rows, other_rows = (np.flatnonzero(_mark(b)[a]) for a, b in (places, places[::-1]))
    return rows, other_rows


def _mark(places: Array) -> Mask:
    """Mark the places of the table that some key has."""
    table = np.zeros(1 << _PLACE_BITS, np.bool_)
    table[places] = True
    return table
