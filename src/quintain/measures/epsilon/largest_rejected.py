"""Turning a test into a bound: the largest epsilon that the runs rule out."""

from __future__ import annotations

from collections.abc import Callable

LARGEST = 64.0
"""No bound is larger; more runs than anybody can pay for could not show it."""
PRECISION = 1e-6
"""The bound is found to this precision, always from below."""


def largest_rejected(rejected: Callable[[float], bool]) -> float:
    """The epsilon up to which every smaller one is rejected, and no larger one.

    >>> round(largest_rejected(lambda epsilon: epsilon < 2.5), 4)
    2.5
    """
    if not rejected(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while rejected(high):
        low, high = high, 2 * high
        if high > LARGEST:
            return LARGEST
    while high - low > PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return low
