"""Jackknife: how far a number would vary with other people, from leaving out groups of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Ints
from quintain.measures.reading import Direction, Reading, tail

GROUPS = 10
"""How many groups of records are left out, one after another."""


def groups_of(records: int, *, rng: np.random.Generator, count: int = GROUPS) -> Ints:
    """A random group for every record; the groups have equal sizes, up to one record.

    >>> np.bincount(groups_of(25, rng=np.random.default_rng(0))).tolist()
    [3, 3, 3, 3, 3, 2, 2, 2, 2, 2]
    """
    return rng.permutation(records) % count


def jackknife(
    value: float,
    without: Sequence[float],
    n: int,
    better: Direction,
    *,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Reading:
    """A reading with the interval of the jackknife over groups, and a t distribution.

    Parameters
    ----------
    value : the number with all records.
    without : the number without each of the groups, which are equally large.
    n : how many records there are.
    within : the lowest and the highest possible value.

    The mean of ten numbers has the interval that everybody knows:

    >>> numbers = np.arange(10.0)
    >>> left = [np.delete(numbers, i).mean() for i in range(10)]
    >>> print(jackknife(numbers.mean(), left, 10, "higher"))
    4.5 [2.334, 6.666]
    """
    from scipy.special import stdtrit

    count = len(without)
    mean = math.fsum(without) / count
    variance = (count - 1) / count * math.fsum((one - mean) ** 2 for one in without)
    half = float(stdtrit(count - 1, 1 - tail())) * math.sqrt(variance)
    return Reading(
        value=value,
        low=max(within[0], value - half),
        high=min(within[1], value + half),
        n=n,
        better=better,
        method=f"jackknife over {count} groups of records",
    )
