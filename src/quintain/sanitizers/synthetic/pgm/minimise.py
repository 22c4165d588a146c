"""Minimise a smooth convex function of many numbers (limited-memory BFGS).

SciPy has this as well, but importing it takes longer than a whole estimation here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from quintain.data.arrays import Floats

Smooth = Callable[[Floats], tuple[float, Floats]]
"""A function that returns its value and its gradient."""

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
    """Find the point where a function is smallest.

    Parameters
    ----------
    function : returns value and gradient.
    start : the first point.
    scale : roughly the curvature along each coordinate; coordinates are scaled by its root.
    done : says whether a gradient is small enough to stop.
    limit : the most steps.

    >>> bowl = lambda point: (float(((point - 3) ** 2).sum()), 2 * (point - 3))
    >>> flat = lambda slope: bool((abs(slope) < 1e-9).all())
    >>> minimise(bowl, np.zeros(2), scale=np.ones(2), done=flat, limit=50).round(6).tolist()
    [3.0, 3.0]
    """
    root = np.sqrt(scale)
    point, (value, slope) = start, function(start)
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=_MEMORY)
    for _ in range(limit):
        if done(slope):
            break
        direction = -_newton(slope / root, pairs) / root
        step = _search(function, point, value, slope, direction)
        if step is None:
            if not pairs:
                break
            pairs.clear()  # Stale curvature can point uphill; steepest descent cannot.
            continue
        moved, value, after = step
        change, turn = (moved - point) * root, (after - slope) / root
        bend = float(change @ turn)
        if bend > _ROUNDING * float(turn @ turn):
            pairs.append((change, turn, bend))
        point, slope = moved, after
    return point


def _newton(slope: Floats, pairs: deque[tuple[Floats, Floats, float]]) -> Floats:
    """Multiply the slope by the inverse curvature of the last steps (two-loop recursion)."""
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
    """Find a step along a direction that lowers the function enough; None if there is none."""
    downhill = float(slope @ direction)
    if downhill >= 0:
        return None
    length = 1.0
    for _ in range(_SHORTENINGS):
        moved = point + length * direction
        height, after = function(moved)
        if height <= value + _DECREASE * length * downhill:
            return moved, height, after
        # Near the minimum, rounding hides the decrease, but the slope still shows it.
        if height <= value + _ROUNDING * abs(value) and abs(after @ direction) <= -0.9 * downhill:
            return moved, height, after
        # The lowest point of the parabola through the known values, within bounds.
        rise = height - value - length * downhill
        best = -downhill * length**2 / (2 * rise) if np.isfinite(rise) and rise > 0 else 0.0
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None
