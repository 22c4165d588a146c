"""Intervals: how far a counted share may be from the true one."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.reading import LEVEL, Direction, Reading, tail


def clopper_pearson(hits: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The exact binomial interval; it covers the true share at least ``level`` of the time.

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

    It is rounded, because published versions of measures use it with that many decimals, and
    their numbers must not change.

    >>> normal_quantile(2), normal_quantile(6)
    (1.96, 1.959964)
    """
    from scipy.special import ndtri

    return round(float(ndtri(1 - tail(level))), decimals)


@lru_cache(maxsize=1 << 10)
def lengthening(several: int, level: float = LEVEL) -> float:
    """How much longer intervals must be so that several hold together as often as one did.

    This is Bonferroni's rule for numbers that are nearly normal.

    >>> lengthening(1), round(lengthening(5), 3)
    (1.0, 1.314)
    """
    one, all_of_them = (normal_quantile(15, 1 - (1 - level) / count) for count in (1, several))
    return all_of_them / one


def proportion(hits: int, n: int, better: Direction) -> Reading:
    """A share of n cases as a reading, with its exact interval."""
    if n == 0:
        return Reading.missing(better, "nothing to count")
    low, high = clopper_pearson(hits, n)
    return Reading(value=hits / n, low=low, high=high, n=n, better=better, method="Clopper-Pearson")


def bounded_mean(shares: Floats, better: Direction) -> Reading:
    """The mean of independent values between 0 and 1, with an interval that always holds.

    The interval is that of Hoeffding: it needs no assumption about how the values are distributed.

    >>> import numpy as np
    >>> print(bounded_mean(np.full(200, 0.25), "lower"))
    0.25 [0.154, 0.346]
    """
    if len(shares) == 0:
        return Reading.missing(better, "nothing to count")
    value = math.fsum(shares.tolist()) / len(shares)
    reach = math.sqrt(math.log(2 / (1 - LEVEL)) / (2 * len(shares)))
    low, high = max(0.0, value - reach), min(1.0, value + reach)
    return Reading(
        value=value, low=low, high=high, n=len(shares), better=better, method="Hoeffding"
    )


def difference(hits: int, n: int, false: int, m: int, better: Direction) -> Reading:
    """The difference of two independent shares, hits/n - false/m, with a conservative interval.

    Each share gets the exact interval of level sqrt(0.95). Both intervals hold together at least
    95 % of the time, and whenever they do, the interval of the difference holds, too.
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
    """The difference of two shares that were counted on the same n cases.

    ``gained`` cases count only for the first share, ``lost`` cases only for the second. Each of
    the two gets the exact interval of level 97.5 %, so both intervals hold together at least 95 %
    of the time, however the counts depend on each other (Bonferroni).
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


def mean_of_records(
    values: Floats, better: Direction, within: tuple[float, float], method: str
) -> Reading:
    """The mean of many independent values, which is nearly normal; the interval stays within."""
    value, n = float(values.mean()), len(values)
    reach = normal_quantile(6) * float(values.std(ddof=1)) / math.sqrt(n)
    return Reading(
        value=value,
        low=max(within[0], value - reach),
        high=min(within[1], value + reach),
        n=n,
        better=better,
        method=method,
    )


def mean_difference(one: Floats, other: Floats, better: Direction) -> Reading:
    """The difference of the means of two groups of independent values (Welch's t interval).

    It holds for large groups, whose means are nearly normal. The two groups may differ in spread.

    >>> print(mean_difference(np.repeat([0.0, 1.0], 50), np.repeat([0.0, 0.5], 50), "lower"))
    0.25 [0.139, 0.361]
    """
    from scipy.special import stdtrit

    sizes = len(one), len(other)
    if min(sizes) < 2:
        return Reading.missing(better, "each group needs two people")
    parts = [float(np.var(values, ddof=1)) / len(values) for values in (one, other)]
    value, spread = float(np.mean(one) - np.mean(other)), sum(parts)
    freedom = sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    degrees = spread**2 / freedom if freedom else float(sum(sizes) - 2)
    reach = float(stdtrit(degrees, 1 - tail())) * math.sqrt(spread)
    return Reading(
        value=value,
        low=value - reach,
        high=value + reach,
        n=sum(sizes),
        better=better,
        method="Welch",
    )
