"""Natural frequencies: shares as numbers of people, which everybody understands."""

from __future__ import annotations

import math

from quintain.figures.axis import LARGEST
from quintain.figures.format import number

_PARTS = (100, 1000, 10_000)


def of_people(share: float, *others: float) -> tuple[str, ...]:
    """Write shares as numbers out of 100; out of more if they would all be rounded away.

    All shares of one sentence have the same total, so that readers can compare them.

    >>> of_people(0.34), of_people(0.0042), of_people(0.0), of_people(0.04, 0.01)
    (('34 of 100',), ('4 of 1,000',), ('0 of 100',), ('4 of 100', '1 of 100'))
    """
    total = total_for(share, *others)
    return tuple(f"{as_count(value, total)} of {total:,}" for value in (share, *others))


def total_for(*shares: float) -> int:
    """Out of how many people shares are told: the smallest that keeps each above zero.

    >>> total_for(0.34), total_for(0.34, 0.0042), total_for(0.0)
    (100, 1000, 100)
    """
    visible = [abs(share) for share in shares if share and math.isfinite(share)]
    for total in _PARTS:
        if all(share * total >= 0.95 for share in visible):
            return total
    return _PARTS[-1]


def as_count(share: float, total: int) -> str:
    """A share as a whole number of people; "fewer than 1" if it would be rounded to none.

    >>> as_count(0.034, 100), as_count(0.00001, 10_000)
    ('3', 'fewer than 1')
    """
    text = whole(abs(share) * total)
    return "fewer than 1" if text == "0" and share else text


def whole(count: float) -> str:
    """A number of people, rounded; no readable number is written as it is.

    >>> whole(1234.5), whole(float("inf")), whole(float("nan"))
    ('1,234', '∞', 'not measured')
    """
    return f"{round(count):,}" if abs(count) < LARGEST else number(count)


def people(share: float, rows: int) -> str:
    """How many of so many people a share is.

    >>> people(0.034, 10_000), people(0.0, 500), people(0.1234, 10_000)
    ('340', '0', '1,234')
    """
    return whole(share * rows)
