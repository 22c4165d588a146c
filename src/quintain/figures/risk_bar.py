"""Risk bar: what an attack reads, beside blind guessing and beside people outside the data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.axis import Axis, axis, drawable
from quintain.figures.format import number, reading_text
from quintain.figures.svg import Element, add, describe, drawing, markup
from quintain.measures import Reading

_EDGE = 9.0
_HEIGHT = 30.0
_THICK, _THIN = 11.0, 7.0


@dataclass(frozen=True, slots=True)
class RiskMarks:
    """What one bar shows.

    Parameters
    ----------
    reading : what the attack reads for people in the data.
    chance : what blind guessing reads, if that is known.
    control : what the attack reads for people outside the data.
    detectable : the smallest reading that the audit would have noticed.
    more_than_luck : whether the reading is higher than luck explains; decides the colour.
    """

    reading: Reading
    chance: float | None = None
    control: Reading | None = None
    detectable: float | None = None
    more_than_luck: bool = False

    def ends(self) -> list[float]:
        """Every value that the bar has to reach."""
        readings = [each for each in (self.reading, self.control) if each and each.measured]
        ends = [x for r in readings for x in (r.value, r.low, r.high) if drawable(x)]
        return ends + [x for x in (self.chance, self.detectable) if x is not None and drawable(x)]


def shares(width: float) -> Axis:
    """The scale of shares: from none to all."""
    return Axis(0.0, 1.0, _EDGE, width - _EDGE, 0.25, _EDGE, width - _EDGE)


def common_scale(bars: Iterable[RiskMarks], width: float) -> Axis:
    """A scale that reaches every mark of some bars."""
    ends = [end for bar in bars for end in bar.ends()]
    return axis(ends, _EDGE, width - _EDGE, ticks=3)


def risk_bar(marks: RiskMarks, scale: Axis, name: str) -> Markup:
    """Draw bars from zero, for readers who compare lengths; ``name`` is unique on the page."""
    root = drawing(max(scale.start, scale.end) + _EDGE, _HEIGHT, "risk")
    describe(root, name, "The attack beside chance and control", _words(marks))
    _draw(root, marks, scale, solid=True)
    return markup(root)


def risk_dots(marks: RiskMarks, scale: Axis) -> Markup:
    """Draw dots with intervals, on a scale that need not start at zero; figures stand beside it."""
    root = drawing(max(scale.start, scale.end) + _EDGE, _HEIGHT, "risk")
    _draw(root, marks, scale, solid=False)
    return markup(root)


def _draw(root: Element, marks: RiskMarks, scale: Axis, *, solid: bool) -> None:
    for x, _ in scale.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=0, y2=_HEIGHT)
    middle, control = _HEIGHT / 2, marks.control
    beside = control is not None and control.measured
    if marks.chance is not None:
        x = scale.at(marks.chance)
        add(root, "line", css="chance", x1=x, x2=x, y1=0, y2=_HEIGHT)
    if control is not None and beside:
        _reading(root, control, scale, middle + 8, "control", solid=solid)
    if marks.reading.measured:
        css = "alarm" if marks.more_than_luck else "calm"
        _reading(root, marks.reading, scale, middle - (5 if beside else 0), css, solid=solid)
    if marks.detectable is not None and drawable(marks.detectable):
        x = scale.at(marks.detectable)
        add(root, "path", css="detectable", d=f"M{x:.1f} {_HEIGHT - 6:.1f}l3.5 6h-7z")


def scale_ticks(scale: Axis, *, percent: bool = False) -> Markup:
    """Draw the numbers of a scale, for the head of its column."""
    root = drawing(max(scale.start, scale.end) + _EDGE, 14, "risk")
    ticks = scale.ticks()
    kept = [ticks[0], ticks[-1]] if len(ticks) > 6 else ticks
    values = [
        scale.low + (x - scale.start) / (scale.end - scale.start) * _span(scale) for x, _ in kept
    ]
    for i, ((x, label), value) in enumerate(zip(kept, values, strict=True)):
        anchor = "start" if i == 0 else "end" if i == len(kept) - 1 else "middle"
        shift = {"start": -_EDGE + 1, "end": _EDGE - 1, "middle": 0.0}[anchor]
        text = f"{100 * value:.0f}" if percent else label
        add(root, "text", text, css="tick", x=x + shift, y=11, text_anchor=anchor)
    return markup(root)


def key(kind: str, *, solid: bool = True) -> Markup:
    """A small copy of a mark, for the legend: alarm, calm, control, chance or detectable."""
    root = drawing(26, 16, "risk key")
    if kind == "chance":
        add(root, "line", css="chance", x1=13, x2=13, y1=0, y2=16)
    elif kind == "detectable":
        add(root, "path", css="detectable", d="M13 5l3.5 6h-7z")
    elif solid:
        tall = _THIN if kind == "control" else _THICK
        add(root, "rect", css=f"value {kind}", x=1, y=8 - tall / 2, width=18, height=tall)
        _whisker(root, 14, 24, 8)
    else:
        _whisker(root, 3, 23, 8)
        _dot(root, 13, 8, kind)
    return markup(root)


def _reading(
    root: Element, reading: Reading, scale: Axis, y: float, css: str, *, solid: bool
) -> None:
    """Draw a reading with its interval: a bar from zero, or a dot."""
    x, zero = scale.at(reading.value), scale.at(max(scale.low, 0.0))
    if solid:
        tall = _THIN if css == "control" else _THICK
        left, wide = min(x, zero), max(abs(x - zero), 1.5)
        add(root, "rect", css=f"value {css}", x=left, y=y - tall / 2, width=wide, height=tall)
    low, high = (reading.value if math.isnan(e) else e for e in (reading.low, reading.high))
    if high > low:
        _whisker(root, scale.at(max(low, scale.low)), scale.at(min(high, scale.high)), y)
    if not solid:
        _dot(root, x, y, css)


def _dot(root: Element, x: float, y: float, css: str) -> None:
    if css == "control":
        add(root, "path", css="value control", d=f"M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4 -4z")
    else:
        add(root, "circle", css=f"value {css}", cx=x, cy=y, r=4.5)


def _whisker(root: Element, low: float, high: float, y: float) -> None:
    """Draw an interval: a line with an end at either side."""
    path = f"M{low:.1f} {y - 3:.1f}v6m0 -3H{high:.1f}m0 -3v6"
    add(root, "path", css="whisker", d=path)


def _span(scale: Axis) -> float:
    return scale.high - scale.low


def _words(marks: RiskMarks) -> str:
    parts = [f"Attack: {reading_text(marks.reading)}."]
    if marks.chance is not None:
        parts.append(f"Chance: {number(marks.chance)}.")
    if marks.control is not None:
        parts.append(f"People outside the data: {reading_text(marks.control)}.")
    return " ".join(parts)
