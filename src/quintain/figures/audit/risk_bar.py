"""Risk bar: what an attack reads, beside blind guessing and beside people outside the data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.axis import Axis, axis, drawable
from quintain.figures.format import number, reading_text
from quintain.figures.svg import Element, add, described, drawing, markup
from quintain.measures import Reading

_EDGE = 9.0


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
        readings = [one for one in (self.reading, self.control) if one and one.measured]
        ends = [x for r in readings for x in (r.value, r.low, r.high) if drawable(x)]
        return ends + [x for x in (self.chance, self.detectable) if x is not None and drawable(x)]


def shares(width: float) -> Axis:
    """The scale of shares: from none to all."""
    return Axis(0.0, 1.0, _EDGE, width - _EDGE, 0.25, _EDGE, width - _EDGE)


def common_scale(bars: Iterable[RiskMarks], width: float) -> Axis:
    """A scale that reaches every mark of some bars, and 0."""
    ends = [end for bar in bars for end in bar.ends()]
    return axis([0.0, *ends], _EDGE, width - _EDGE, ticks=4)


def risk_bar(marks: RiskMarks, scale: Axis, name: str = "", height: float = 26) -> Markup:
    """Draw one bar; with a ``name``, which is unique on the page, it is described in words, too."""
    root = drawing(max(scale.start, scale.end) + _EDGE, height, "risk")
    if name:
        described(root, name, "The attack beside chance and control", _words(marks))
    middle = height / 2
    for x, _ in scale.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=1, y2=height - 1)
    if marks.chance is not None:
        x = scale.at(marks.chance)
        add(root, "line", css="chance", x1=x, x2=x, y1=1, y2=height - 1)
    if marks.control is not None and marks.control.measured:
        _control(root, marks.control, scale, middle + height / 4)
    if marks.reading.measured:
        _reading(root, marks, scale, middle - (height / 5 if marks.control else 0))
    if marks.detectable is not None and drawable(marks.detectable):
        x = scale.at(marks.detectable)
        add(root, "path", css="detectable", d=f"M{x:.1f} {height - 6:.1f}l3.5 6h-7z")
    return markup(root)


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


def key(kind: str) -> Markup:
    """A small copy of a mark, for the legend: attack, luck, chance, control or detectable."""
    root = drawing(26, 16, "risk key")
    if kind in ("attack", "luck"):
        css = "alarm" if kind == "attack" else "calm"
        add(root, "line", css=f"span {css}", x1=3, x2=23, y1=8, y2=8)
        add(root, "circle", css=f"dot {css}", cx=13, cy=8, r=5)
    elif kind == "chance":
        add(root, "line", css="chance", x1=13, x2=13, y1=0, y2=16)
    elif kind == "control":
        add(root, "line", css="control", x1=3, x2=23, y1=8, y2=8)
        add(root, "path", css="control-mark", d="M13 3.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z")
    else:
        add(root, "path", css="detectable", d="M13 5l3.5 6h-7z")
    return markup(root)


def _reading(root: Element, marks: RiskMarks, scale: Axis, y: float) -> None:
    css = "alarm" if marks.more_than_luck else "calm"
    low, high = _ends(marks.reading, scale)
    add(root, "line", css=f"span {css}", x1=low, x2=high, y1=y, y2=y)
    add(root, "circle", css=f"dot {css}", cx=scale.at(marks.reading.value), cy=y, r=5)


def _control(root: Element, control: Reading, scale: Axis, y: float) -> None:
    low, high = _ends(control, scale)
    x = scale.at(control.value)
    add(root, "line", css="control", x1=low, x2=high, y1=y, y2=y)
    add(root, "path", css="control-mark", d=f"M{x:.1f} {y - 4.5:.1f}l4.5 4.5l-4.5 4.5l-4.5 -4.5z")


def _ends(reading: Reading, scale: Axis) -> tuple[float, float]:
    value = reading.value
    low, high = (value if math.isnan(x) else x for x in (reading.low, reading.high))
    return scale.at(max(low, scale.low)), scale.at(min(high, scale.high))


def _span(scale: Axis) -> float:
    return scale.high - scale.low


def _words(marks: RiskMarks) -> str:
    parts = [f"Attack: {reading_text(marks.reading)}."]
    if marks.chance is not None:
        parts.append(f"Chance: {number(marks.chance)}.")
    if marks.control is not None:
        parts.append(f"People outside the data: {reading_text(marks.control)}.")
    return " ".join(parts)
