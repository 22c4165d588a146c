"""Published bounds: values clipped to the range of the private data publish that range exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quintain.data.arrays import Floats, Ints

_OFTEN = 3
"""A value that so many released cells share exactly is a bound, if it is near the end."""

_DISTINCT = 5
"""How many of the most extreme values may be far-out ones that hide the bound."""

_BEYOND = 10
"""If more persons are beyond a bound, the bound was not the range of half of them: the chance of
that is below one in a thousand."""

_TOLERANCE = 1e-9


class Bounds(NamedTuple):
    """The bounds of each column; infinite where there is none."""

    low: Floats
    high: Floats


def find_bounds(released: Floats) -> Bounds:
    """Find the ends of each column at which many released cells are exactly equal.

    >>> rows = np.arange(40.0)
    >>> find_bounds(np.column_stack([np.maximum(rows - 9, 0.0), rows]))
    Bounds(low=array([  0., -inf]), high=array([inf, inf]))
    """
    low = np.full(released.shape[1], -np.inf)
    high = np.full(released.shape[1], np.inf)
    for j in range(released.shape[1]):
        values, counts = np.unique(released[:, j], return_counts=True)
        at_low = np.flatnonzero(counts[:_DISTINCT] >= _OFTEN)
        at_high = np.flatnonzero(counts[::-1][:_DISTINCT] >= _OFTEN)
        if len(values) > 2 * _DISTINCT and len(at_low):
            low[j] = values[at_low[0]]
        if len(values) > 2 * _DISTINCT and len(at_high):
            high[j] = values[::-1][at_high[0]]
    return Bounds(low, high)


def verdicts(rows: Floats, owner: Ints, persons: int, bounds: Bounds) -> Floats:
    """Read who is a member from the bounds: 1 for surely, -1 for surely not, 0 for unknown.

    A person who alone has exactly the value of a bound is a member. A person who has a value beyond
    it is none, because the range of the members would be wider.
    """
    members, others = np.zeros(persons, bool), np.zeros(persons, bool)
    for j in range(rows.shape[1]):
        for bound, side in ((bounds.low[j], 1.0), (bounds.high[j], -1.0)):
            if not np.isfinite(bound):
                continue
            inside = side * (rows[:, j] - bound)
            close = _TOLERANCE * max(1.0, abs(bound))
            having = np.unique(owner[np.abs(inside) <= close])
            beyond = np.unique(owner[inside < -close])
            if len(having) and len(beyond) <= _BEYOND:
                others[beyond] = True
                members[having] |= len(having) == 1
    return np.where(others == members, 0.0, np.where(members, 1.0, -1.0))
