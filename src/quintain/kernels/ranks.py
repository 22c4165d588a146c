"""Ranks: positions by size; equal values share their average position."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def average_ranks(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Rank values from 1; equal values get the mean of the ranks that they occupy.

    >>> average_ranks([10, 30, 10, 20]).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    _, group, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[group]
