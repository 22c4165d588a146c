"""Intervals around what was counted."""

from __future__ import annotations

import math

from quintain.measures.reading import Direction, Reading

LEVEL = 0.95


def clopper_pearson(hits: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The exact binomial interval: it covers the truth at least ``level`` of the time.

    >>> low, high = clopper_pearson(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


def proportion(hits: int, n: int, better: Direction) -> Reading:
    """A share with its exact interval."""
    if n == 0:
        return Reading.missing(better, "nothing to count")
    low, high = clopper_pearson(hits, n)
    return Reading(value=hits / n, low=low, high=high, n=n, better=better, method="Clopper-Pearson")


def difference(hits: int, n: int, false: int, m: int, better: Direction) -> Reading:
    """A difference of two independent shares, hits/n - false/m, with a conservative interval.

    Each share gets the exact interval of level sqrt(0.95); both hold together at least 95 % of
    the time, and then so does the interval of the difference.
    """
    if n == 0 or m == 0:
        return Reading.missing(better, "all targets are of one class")
    level = math.sqrt(LEVEL)
    low, high = clopper_pearson(hits, n, level)
    false_low, false_high = clopper_pearson(false, m, level)
    return Reading(
        value=hits / n - false / m,
        low=low - false_high,
        high=high - false_low,
        n=n + m,
        better=better,
        method="Clopper-Pearson, both shares",
    )
