"""Frequent values: the values of a large category that keep their own code, chosen with privacy."""

from __future__ import annotations

import math

import numpy as np

from quintain.data.arrays import Array
from quintain.data.coding import Groups
from quintain.data.schema import Column
from quintain.noise import Noise


def frequent_values(
    column: Column, contents: Array, most: int, *, epsilon: float, noise: Noise
) -> Groups:
    """Keep the most frequent values and let all others share one group; epsilon-private.

    One record more or less changes one count by one, so counts with discrete Laplace noise of scale
    1 / epsilon are epsilon-private under adding or removing a record. A value is kept if its noisy
    count stands out from the noise: with m values, the largest noise is about ln(m) / epsilon.

    Parameters
    ----------
    most : the largest number of codes, with that of the group.

    >>> town = Column(name="town", kind="category", values=tuple("abcdefgh"))
    >>> contents = np.repeat(np.arange(8), [900, 2, 800, 1, 0, 3, 700, 2])
    >>> frequent_values(town, contents, 3, epsilon=1.0, noise=Noise.for_test(1)).kept.tolist()
    [0, 2]
    """
    counts = np.bincount(contents[contents >= 0], minlength=column.size)
    noisy = counts + noise.laplace(1 / epsilon, column.size)
    stands_out = noisy > math.log(column.size) / epsilon
    # A stable sort, because ties must not depend on the machine.
    order = np.argsort(-noisy, kind="stable")[: most - 1]
    return Groups(column, np.sort(order[stands_out[order]]))
