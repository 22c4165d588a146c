"""Interval plot: readings with their intervals in groups, beside what chance would read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.axis import Axis, axis, drawable
from quintain.figures.format import printable, reading_text
from quintain.figures.svg import Element, add, describe, drawing, markup, tooltip
from quintain.measures import Reading

_WIDTH, _LABEL, _RIGHT = 660, 250, 640
_HEAD, _ROW, _GAP, _TOP = 20, 18, 8, 12
_LETTERS = 34


@dataclass(frozen=True, slots=True)
class IntervalGroup:
    """Readings that belong together.

    Parameters
    ----------
    title : what they share.
    readings : each with its label, in the order in which they are drawn.
    """

    title: str
    readings: tuple[tuple[str, Reading], ...]


def interval_plot(
    groups: Sequence[IntervalGroup], chance: float, axis_text: str, name: str
) -> Markup:
    """Draw a dot with a line per reading; a dot whose interval reaches chance is hollow.

    Parameters
    ----------
    chance : where a vertical line says what is read by chance.
    axis_text : what the axis shows.
    name : unique on the page.
    """
    height = _TOP + sum(_HEAD + _ROW * len(group.readings) + _GAP for group in groups)
    root = describe(
        drawing(_WIDTH, height + 46, "plot intervals"),
        name,
        "Readings with their intervals",
        "One row per reading, in groups. The vertical line is chance.",
    )
    readings = [reading for group in groups for _, reading in group.readings if reading.measured]
    ends = [end for r in readings for end in (r.value, r.low, r.high) if drawable(end)]
    scale = axis([chance, *ends], _LABEL, _RIGHT)
    for x, label in scale.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=_TOP, y2=height)
        add(root, "text", label, css="tick", x=x, y=height + 17, text_anchor="middle")
    x = scale.at(chance)
    add(root, "line", css="chance", x1=x, x2=x, y1=_TOP, y2=height)
    middle = (_LABEL + _RIGHT) / 2
    add(root, "text", axis_text, css="axis", x=middle, y=height + 38, text_anchor="middle")
    top = float(_TOP)
    for group in groups:
        add(root, "text", _short(group.title), css="axis", x=4, y=top + 14)
        for place, (label, reading) in enumerate(group.readings):
            _draw_row(root, label, reading, scale, chance, top + _HEAD + _ROW * (place + 0.5))
        top += _HEAD + _ROW * len(group.readings) + _GAP
    return markup(root)


def _draw_row(
    root: Element, label: str, reading: Reading, scale: Axis, chance: float, y: float
) -> None:
    row = add(root, "g")
    tooltip(row, label, reading_text(reading))
    add(row, "text", _short(label), css="tick", x=_LABEL - 10, y=y + 4, text_anchor="end")
    if not reading.measured:
        add(row, "text", "not measured", css="tick", x=_LABEL + 4, y=y + 4)
        return
    low, high = scale.at(reading.low), scale.at(reading.high)
    add(row, "line", css="span", x1=low, x2=high, y1=y, y2=y)
    luck = " luck" if reading.low <= chance <= reading.high else ""
    add(row, "circle", css=f"dot{luck}", cx=scale.at(reading.value), cy=y, r=4.5)


def _short(text: str) -> str:
    """A text that has room beside the drawing; the tooltip has all of it."""
    shown = printable(text)
    return shown if len(shown) <= _LETTERS else f"{shown[: _LETTERS - 1]}…"
