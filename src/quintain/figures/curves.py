"""Curves: readings along an axis of their own, a line for each entry."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from quintain.figures.axis import axis
from quintain.figures.format import number, shortened, told
from quintain.figures.svg import add, described, drawing, markup, tooltip
from quintain.measures import Curve, Reading
from quintain.rankings import Entry

_WIDTH, _HEIGHT = 580, 340
_LEFT, _TOP, _RIGHT, _BOTTOM = 60, 20, 420, 280
_GAP = 16
"""The least distance of two names beside their lines."""


def curve_plot(curve: Curve, entries: Sequence[tuple[str, Entry]], name: str) -> Markup | None:
    """A line for each entry that has all readings; ``name`` is unique on the page."""
    lines = [
        (called, [entry.readings[reading] for reading in curve.readings.values()])
        for called, entry in entries
        if all(_there(entry, reading) for reading in curve.readings.values())
    ]
    if not lines:
        return None
    places = list(curve.readings)
    across = axis(places, _LEFT + 10, _RIGHT - 10, ticks=len(places))
    down = axis([0.0, 1.0, *(r.high for _, row in lines for r in row)], _BOTTOM - 8, _TOP + 8)
    root = described(
        drawing(_WIDTH, _HEIGHT, "plot"),
        name,
        curve.title,
        "A line for each entry. The figures stand in the table of entries.",
    )
    for place in places:
        x = across.at(place)
        add(root, "line", css="grid", x1=x, x2=x, y1=_TOP, y2=_BOTTOM)
        add(root, "text", number(place), css="tick", x=x, y=_BOTTOM + 18, text_anchor="middle")
    for y, label in down.ticks():
        add(root, "line", css="grid", x1=_LEFT, x2=_RIGHT, y1=y, y2=y)
        add(root, "text", label, css="tick", x=_LEFT - 7, y=y + 4, text_anchor="end")
    width, height = _RIGHT - _LEFT, _BOTTOM - _TOP
    add(root, "rect", css="frame", x=_LEFT, y=_TOP, width=width, height=height)
    middle = (_LEFT + _RIGHT) / 2
    add(root, "text", curve.across, css="axis", x=middle, y=_HEIGHT - 14, text_anchor="middle")
    lowest = float(_TOP)
    for called, row in sorted(lines, key=lambda line: -line[1][-1].value):
        spots = [(across.at(p), down.at(r.value)) for p, r in zip(places, row, strict=True)]
        for (x1, y1), (x2, y2) in pairwise(spots):
            add(root, "line", css="span", x1=x1, x2=x2, y1=y1, y2=y2)
        for (x, y), reading in zip(spots, row, strict=True):
            tooltip(add(root, "circle", css="dot", cx=x, cy=y, r=4), called, told(reading))
        lowest = max(lowest + _GAP, spots[-1][1] + 4)
        add(root, "text", shortened(called, 22), css="name", x=_RIGHT + 6, y=lowest)
    return markup(root)


def _there(entry: Entry, name: str) -> bool:
    reading: Reading | None = entry.readings.get(name)
    return reading is not None and reading.measured
