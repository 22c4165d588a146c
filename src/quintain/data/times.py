"""Times: how a text becomes a time under a format, and the smallest unit that a format writes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal

import numpy as np

from quintain.data.arrays import Array

TimeUnit = Literal["s", "m", "h", "D", "M", "Y"]
"""A unit of time, as NumPy spells it."""


_UNITS: tuple[tuple[TimeUnit, str], ...] = (
    ("s", "STXcfs"),
    ("m", "MR"),
    ("h", "HI"),
    ("D", "djDFxUWVuwaA"),
    ("M", "mbBh"),
)
"""For each unit, the directives of a format that express it."""


def parse_time(text: str, form: str) -> int | None:
    """The seconds since 1970 UTC of a time; None if the text is not written in the format.

    >>> parse_time("1970-01-02", "%Y-%m-%d"), parse_time("1970-1-2", "%Y-%m-%d")
    (86400, None)
    """
    try:
        moment = datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
    # strptime reads 2011/1/5 under %Y/%m/%d; two spellings of one day would make comparisons fail.
    return int(moment.timestamp()) if moment.strftime(form) == text else None


def smallest_unit(form: str) -> TimeUnit:
    """The smallest unit of time that a format writes.

    >>> smallest_unit("%Y-%m-%d"), smallest_unit("%d.%m.%Y %H:%M"), smallest_unit("%Y-%m")
    ('D', 'm', 'M')
    """
    directives = set(re.findall(r"%[-#]?(.)", form))
    for unit, letters in _UNITS:
        if directives & set(letters):
            return unit
    return "Y"


def in_units(seconds: Array, unit: TimeUnit) -> Array:
    """Seconds since 1970 as whole units since 1970.

    >>> in_units(np.array([0, 86_400 * 40]), "M").tolist()
    [0, 1]
    """
    return seconds.astype("datetime64[s]").astype(f"datetime64[{unit}]").astype(np.int64)


def in_seconds(units: Array, unit: TimeUnit) -> Array:
    """The seconds since 1970 at which units since 1970 begin."""
    return units.astype(f"datetime64[{unit}]").astype("datetime64[s]").astype(np.int64)
