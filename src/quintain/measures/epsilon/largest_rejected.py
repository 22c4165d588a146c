"""Turning a test into a bound: the largest epsilon that the runs rule out."""

from __future__ import annotations

import math
from collections.abc import Callable

LARGEST = 64.0
"""No bound is larger; more runs than anybody can pay for could not show it."""
PRECISION = 1e-7
"""The bound is found to this precision, and always from below."""
_SMALLEST = 1e-300


def largest_rejected(p_value: Callable[[float], float], allowed: float) -> float:
    """The largest epsilon whose p-value is not above ``allowed``; 0 if there is none.

    Parameters
    ----------
    p_value : grows with epsilon.
    allowed : the error that the level allows.

    >>> round(largest_rejected(lambda epsilon: epsilon / 50, 0.05), 4)
    2.5
    """
    from scipy.optimize import brentq

    def excess(epsilon: float) -> float:
        return math.log(max(p_value(epsilon), _SMALLEST)) - math.log(allowed)

    if excess(0.0) > 0:
        return 0.0
    low, high = 0.0, 1.0
    while excess(high) <= 0:
        low, high = high, 2 * high
        if high > LARGEST:
            return LARGEST
    root = float(brentq(excess, low, high, xtol=PRECISION / 4))
    return max(0.0, root - PRECISION)
