"""Minimise a smooth convex function of many numbers (limited-memory BFGS).

SciPy has this too, but importing it takes longer than a whole estimation here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from quintain.data.arrays import Floats

Smooth = Callable[[Floats], tuple[float, Floats]]
"""A function that gives its value and its gradient."""

_DECREASE = 1e-4
_MEMORY = 12
_SHORTENINGS = 40
_ROUNDING = 1e-12


def minimise(
    function: Smooth,
    start: Floats,
    *,
    scale: Floats,
    done: Callable[[Floats], bool],
    limit: int,
) -> Floats:
    """The point where a function is smallest.

    Parameters
    ----------
    function : gives value and gradient.
    start : where to start.
    scale : roughly the curvature along each coordinate; coordinates are scaled by its root.
    done : looks at a gradient and says whether it is small enough.
    limit : the most steps.
    """
    root = np.sqrt(scale)
    point, (value, slope) = start, function(start)
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=_MEMORY)
    for _ in range(limit):
        if done(slope):
            break
        direction = -_newton(slope / root, pairs) / root
        found = _search(function, point, value, slope, direction)
        if found is None:
            if not pairs:
                break
            pairs.clear()  # Stale curvature can point uphill; steepest descent cannot.
            continue
        moved, value, after = found
        change, turn = (moved - point) * root, (after - slope) / root
        bend = float(change @ turn)
        if bend > _ROUNDING * float(turn @ turn):
            pairs.append((change, turn, bend))
        point, slope = moved, after
    return point


def _newton(slope: Floats, pairs: deque[tuple[Floats, Floats, float]]) -> Floats:
    """The slope times the inverse curvature that the last steps showed (two-loop recursion)."""
    if not pairs:
        return slope / max(1.0, float(np.sqrt(slope @ slope)))
    out = slope.copy()
    weights = []
    for change, turn, bend in reversed(pairs):
        weights.append(float(change @ out) / bend)
        out -= weights[-1] * turn
    _, turn, bend = pairs[-1]
    out *= bend / float(turn @ turn)
    for (change, turn, bend), weight in zip(pairs, reversed(weights), strict=True):
        out += (weight - float(turn @ out) / bend) * change
    return out


def _search(
    function: Smooth, point: Floats, value: float, slope: Floats, direction: Floats
) -> tuple[Floats, float, Floats] | None:
    """A step along a direction that lowers the function enough, or None."""
    downhill = float(slope @ direction)
    if downhill >= 0:
        return None
    length = 1.0
    for _ in range(_SHORTENINGS):
        moved = point + length * direction
        there, after = function(moved)
        if there <= value + _DECREASE * length * downhill:
            return moved, there, after
        # Near the minimum the decrease drowns in rounding; the slope still tells.
        if there <= value + _ROUNDING * abs(value) and abs(after @ direction) <= -0.9 * downhill:
            return moved, there, after
        # The lowest point of the parabola through what is known, kept within sensible bounds.
        rise = there - value - length * downhill
        best = -downhill * length**2 / (2 * rise) if np.isfinite(rise) and rise > 0 else 0.0
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None
