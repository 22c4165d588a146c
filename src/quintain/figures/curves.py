"""Curves: readings of one measure along an axis, one line per entry.

Lines differ in colour, in dashes and in the shape of their points, so that readers can distinguish
them without colours, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from quintain.figures.axis import Axis, axis
from quintain.figures.format import number, reading_text
from quintain.figures.svg import Element, add, describe, drawing, markup, tooltip
from quintain.measures import Curve, Reading
from quintain.rankings import Entry

_WIDTH, _HEIGHT = 580, 340
_LEFT, _TOP, _RIGHT, _BOTTOM = 60, 20, 560, 280
_STYLES = 6
_MOST_LINES = 12
_SHAPES = ("M-4 -4h8v8h-8z", "M0 -5l5 9h-10z", "M0 -5l5 5l-5 5l-5 -5z", "M0 5l5 -9h-10z", "")


@dataclass(frozen=True, slots=True)
class Line:
    """The line of one entry: its name, its readings from left to right, the number of its style."""

    name: str
    readings: Sequence[Reading]
    style: int

    @property
    def key(self) -> Markup:
        """A short piece of the line, for the legend."""
        root = drawing(40, 14, "plot key")
        _segment(root, self.style, (2, 7), (38, 7))
        _point(root, self.style, 20, 7)
        return markup(root)


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """A drawing, its lines from the highest to the lowest, and how many were left out."""

    title: str
    drawn: Markup
    lines: tuple[Line, ...]
    left_out: int


def curve_plot(
    curve: Curve,
    entries: Sequence[tuple[str, Entry]],
    name: str,
    says: str = "One line per entry. The figures are in the table of entries.",
) -> CurvePlot | None:
    """Draw one line per entry that has all readings; ``name`` must be unique on the page.

    ``says`` describes the drawing to people who do not see it.
    """
    complete = [
        Line(label, [entry.readings[reading] for reading in curve.readings.values()], style)
        for style, (label, entry) in enumerate(entries)
        if all(_has(entry, reading) for reading in curve.readings.values())
    ]
    if not complete:
        return None
    complete.sort(key=lambda line: -line.readings[-1].value)
    lines = tuple(complete[:_MOST_LINES])
    drawn = _draw(curve, lines, name, says)
    return CurvePlot(curve.title, drawn, lines, len(complete) - len(lines))


def _draw(curve: Curve, lines: Sequence[Line], name: str, says: str) -> Markup:
    labels = list(curve.readings)
    places = [float(i) for i in range(len(labels))] if curve.even else labels
    across = axis(places, _LEFT + 10, _RIGHT - 10, ticks=len(places))
    ends = (reading.high for line in lines for reading in line.readings)
    down = axis([0.0, 1.0, *ends], _BOTTOM - 8, _TOP + 8)
    root = describe(
        drawing(_WIDTH, _HEIGHT, "plot"),
        name,
        curve.title,
        says,
    )
    _grid(root, dict(zip(places, labels, strict=True)), across, down)
    middle = (_LEFT + _RIGHT) / 2
    add(root, "text", curve.across, css="axis", x=middle, y=_HEIGHT - 14, text_anchor="middle")
    for line in lines:
        spots = [
            (across.at(place), down.at(reading.value))
            for place, reading in zip(places, line.readings, strict=True)
        ]
        for start, end in pairwise(spots):
            _segment(root, line.style, start, end)
        for (x, y), reading in zip(spots, line.readings, strict=True):
            tooltip(_point(root, line.style, x, y), line.name, reading_text(reading))
    return markup(root)


def _grid(root: Element, places: Mapping[float, float], across: Axis, down: Axis) -> None:
    for place, value in places.items():
        x = across.at(place)
        add(root, "line", css="grid", x1=x, x2=x, y1=_TOP, y2=_BOTTOM)
        add(root, "text", number(value), css="tick", x=x, y=_BOTTOM + 18, text_anchor="middle")
    for y, label in down.ticks():
        add(root, "line", css="grid", x1=_LEFT, x2=_RIGHT, y1=y, y2=y)
        add(root, "text", label, css="tick", x=_LEFT - 7, y=y + 4, text_anchor="end")
    width, height = _RIGHT - _LEFT, _BOTTOM - _TOP
    add(root, "rect", css="frame", x=_LEFT, y=_TOP, width=width, height=height)


def _segment(
    root: Element, style: int, start: tuple[float, float], end: tuple[float, float]
) -> None:
    css = f"series colour-{style % _STYLES + 1} dash-{style % 4 + 1}"
    add(root, "line", css=css, x1=start[0], y1=start[1], x2=end[0], y2=end[1])


def _point(root: Element, style: int, x: float, y: float) -> Element:
    """Draw the mark of a style; no two of thirty styles share both colour and mark."""
    css = f"mark colour-{style % _STYLES + 1}"
    shape = _SHAPES[style % len(_SHAPES)]
    if not shape:
        return add(root, "circle", css=css, cx=x, cy=y, r=4.5)
    return add(root, "path", css=css, d=shape, transform=f"translate({x:.1f} {y:.1f})")


def _has(entry: Entry, name: str) -> bool:
    reading = entry.readings.get(name)
    return reading is not None and reading.measured
