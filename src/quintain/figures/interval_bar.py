"""Interval bar: one score with its interval, on a scale shared by all lines of a board."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from quintain.figures.axis import Axis, axis, drawable
from quintain.figures.svg import add, drawing, markup
from quintain.measures import Reading

_WIDTH, _HEIGHT, _EDGE = 130, 18, 6


def bar_scale(readings: Sequence[Reading]) -> Axis:
    """The common scale of a board; it includes 0 unless that would waste half of it."""
    ends = [x for r in readings for x in (r.low, r.value, r.high)]
    finite = [x for x in ends if drawable(x)]
    if finite and (0 <= min(finite) <= max(finite) / 2 or max(finite) <= 0):
        ends.append(0.0)
    return axis(ends, _EDGE, _WIDTH - _EDGE, ticks=4)


def interval_bar(reading: Reading, scale: Axis) -> Markup:
    """Draw a dot for the value and a line for the interval; nothing if it was not measured."""
    root = drawing(_WIDTH, _HEIGHT, "bar")
    middle = _HEIGHT / 2
    for x, _ in scale.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=0, y2=_HEIGHT)
    if reading.measured:
        value = scale.at(reading.value)
        low, high = (value if math.isnan(x) else scale.at(x) for x in (reading.low, reading.high))
        add(root, "line", css="span", x1=low, x2=high, y1=middle, y2=middle)
        add(root, "circle", css="dot", cx=value, cy=middle, r=4)
    return markup(root)


def bar_ticks(scale: Axis) -> Markup:
    """Draw the ends of the scale, for the head of the column."""
    root = drawing(_WIDTH, 14, "bar")
    ticks = scale.ticks()
    for (x, label), anchor in zip((ticks[0], ticks[-1]), ("start", "end"), strict=True):
        shift = -_EDGE if anchor == "start" else _EDGE
        add(root, "text", label, css="tick", x=x + shift, y=11, text_anchor=anchor)
    return markup(root)
