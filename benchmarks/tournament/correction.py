"""Correction: wider intervals where many figures are looked at together.

Of twenty intervals of 95 %, one misses the true value on average. Where one sentence rests on the
best of many figures, every interval gets the level at which all of them together hold.
"""

from __future__ import annotations

import math
import re

from quintain.measures import Reading


def corrected(reading: Reading, looks: int) -> tuple[float, float]:
    """The interval of a reading at the level at which ``looks`` such intervals hold together.

    The width grows as the quantile of Student's t does for repetitions, and of the normal
    distribution otherwise. An exact value stays exact.

    >>> four = {"n": 9, "better": "lower", "method": "t over 4 repetitions"}
    >>> one = Reading(value=0.5, low=0.4, high=0.6, **four)
    >>> [round(end, 2) for end in corrected(one, 1)], [round(end, 2) for end in corrected(one, 10)]
    ([0.4, 0.6], [0.27, 0.73])
    """
    stretch = quantile(reading.method, looks) / quantile(reading.method, 1)
    low = reading.value - stretch * (reading.value - reading.low)
    high = reading.value + stretch * (reading.high - reading.value)
    return low, high


def standard_error(reading: Reading) -> float:
    """The standard error behind an interval."""
    return (reading.high - reading.low) / 2 / quantile(reading.method, 1)


def quantile(method: str, looks: int, level: float = 0.95) -> float:
    """How many standard errors an interval reaches to each side."""
    from scipy.special import ndtri, stdtrit

    tail = 1 - (1 - level) / 2 / looks
    repetitions = re.match(r"t over (\d+)", method)
    if repetitions is None:
        return float(ndtri(tail))
    return float(stdtrit(int(repetitions[1]) - 1, tail))


def best_of_blind(error: float, attacks: int, level: float = 0.95) -> float:
    """How far above chance the best of so many blind attacks gets, in 95 of 100 tournaments.

    The attacks are taken as independent. Real attacks resemble each other, so their best has less
    luck than this.
    """
    from scipy.special import ndtri

    return error * float(ndtri(math.exp(math.log(level) / attacks)))
