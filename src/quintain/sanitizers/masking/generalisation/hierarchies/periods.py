"""Periods: the day, month or year in which a time lies."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from quintain.data.arrays import Array, Rows

Period = Literal["day", "week", "month", "quarter", "year", "decade"]
NAMES: tuple[str, ...] = get_args(Period)
PERIODS: tuple[Period, ...] = ("day", "month", "year", "decade")
"""The levels of a hierarchy of times that nobody has written; weeks lie across months."""

_STEPS: dict[Period, tuple[str, int]] = {
    "day": ("D", 1),
    "week": ("W", 1),
    "month": ("M", 1),
    "quarter": ("M", 3),
    "year": ("Y", 1),
    "decade": ("Y", 10),
}


def periods_of(times: Array, period: Period) -> Rows:
    """The number of the period of each time, which a table stores as seconds since 1970.

    >>> periods_of(np.array([0, 86_400 * 40]), "month").tolist()
    [0, 1]
    """
    unit, length = _STEPS[period]
    start = 1970 % length if unit == "Y" else 0
    numbers = times.astype("datetime64[s]").astype(f"datetime64[{unit}]").astype(np.int64)
    return (numbers + start) // length
