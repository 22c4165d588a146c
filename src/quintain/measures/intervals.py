"""Intervals around what was counted."""

from __future__ import annotations

import math

from quintain.measures.reading import LEVEL, Direction, Reading, tail


def clopper_pearson(hits: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The exact binomial interval: it covers the truth at least ``level`` of the time.

    >>> low, high = clopper_pearson(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    outside = (1 - level) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, outside))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - outside))
    return low, high


def normal_quantile(decimals: int, level: float = LEVEL) -> float:
    """How many standard deviations a two-sided normal interval reaches to either side.

    It is rounded, because published versions of measures use it with so many decimals, and their
    numbers do not change.

    >>> normal_quantile(2), normal_quantile(6)
    (1.96, 1.959964)
    """
    from scipy.special import ndtri

    return round(float(ndtri(1 - tail(level))), decimals)


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


def paired_difference(gained: int, lost: int, n: int, better: Direction) -> Reading:
    """The difference of two shares of the same n cases, of which only some differ.

    ``gained`` cases count for the first share alone and ``lost`` for the second alone. Both of
    their shares get the exact interval of level 97.5 %, so both hold at least 95 % of the time,
    however they depend on each other (Bonferroni).
    """
    if n == 0:
        return Reading.missing(better, "nothing to count")
    level = 1 - (1 - LEVEL) / 2
    low, high = clopper_pearson(gained, n, level)
    lost_low, lost_high = clopper_pearson(lost, n, level)
    return Reading(
        value=(gained - lost) / n,
        low=low - lost_high,
        high=high - lost_low,
        n=n,
        better=better,
        method="Clopper-Pearson, gained and lost cases",
    )
