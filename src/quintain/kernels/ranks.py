"""Ranks: positions by size, ties sharing their average position."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def average_ranks(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Ranks from 1, equal values getting the mean of the ranks they take up.

    >>> average_ranks([10, 30, 10, 20]).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    _, group, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[group]
