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

    def excess(epsilon: float) -> float:
        return math.log(max(p_value(epsilon), _SMALLEST)) - math.log(allowed)

    if excess(0.0) > 0:
        return 0.0
    low, high = 0.0, 1.0
    while excess(high) <= 0:
        low, high = high, 2 * high
        if high > LARGEST:
            return LARGEST
    root = bracketed_root(excess, low, high, PRECISION / 4)
    return max(0.0, root - PRECISION)


def bracketed_root(
    function: Callable[[float], float], low: float, high: float, xtol: float
) -> float:
    """A place within ``xtol`` of where a function crosses nought; at its ends the signs differ.

    The secant through both ends, where an end that stays twice counts half (the Illinois rule),
    and the middle if that was slow. SciPy has such functions too, but to load them takes longer
    than all bounds of an audit.

    References
    ----------
    Dowell and Jarratt, A modified regula falsi method for computing the root of an equation, BIT
    1971.

    >>> round(bracketed_root(lambda x: x * x - 2, 0.0, 2.0, 1e-9), 6)
    1.414214
    """
    at_low, at_high = function(low), function(high)
    step, width, last = 0, high - low, 0
    while high - low > xtol and at_low and at_high:
        place = (low * at_high - high * at_low) / (at_high - at_low)
        step += 1
        if step % 3 == 0:
            place = (low + high) / 2 if high - low > width / 4 else place
            width = high - low
        place = min(max(place, low + 0.4 * xtol), high - 0.4 * xtol)
        value = function(place)
        side = 1 if (value > 0) == (at_high > 0) else -1
        if side > 0:
            high, at_high, at_low = place, value, at_low / 2 if side == last else at_low
        else:
            low, at_low, at_high = place, value, at_high / 2 if side == last else at_high
        last = side
    return low if at_low == 0 else high if at_high == 0 else (low + high) / 2
