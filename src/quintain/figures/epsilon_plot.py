"""Epsilon plot: lower bounds on epsilon beside what the sanitizer claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quintain.figures.axis import Axis, axis
from quintain.figures.format import number, reading_text, wrap_lines
from quintain.figures.svg import Element, add, describe, drawing, markup, tooltip
from quintain.measures import Reading

_WIDTH, _LABEL, _RIGHT = 660, 236, 590
_ROW, _TOP = 40, 26
_LETTERS = 29


@dataclass(frozen=True, slots=True)
class EpsilonRow:
    """One bound.

    Parameters
    ----------
    label : how it was found.
    ceiling : the highest that it could have been.
    decides : whether the verdict may rest on it; other bounds are drawn paler.
    """

    label: str
    bound: Reading
    ceiling: float
    decides: bool = True


def epsilon_plot(rows: Sequence[EpsilonRow], claim: float | None, name: str) -> Markup:
    """Draw a bar up to each bound and a pale bar up to its ceiling; a line marks the claim."""
    height = _TOP + _ROW * len(rows) + 44
    root = describe(
        drawing(_WIDTH, height, "plot epsilon"),
        name,
        "Lower bounds on epsilon, each with its ceiling",
        "One bar per method. A bar beyond the line of the claim refutes the claim.",
    )
    ends = [x for row in rows for x in (row.bound.value, row.ceiling) if math.isfinite(x)]
    shown = claim if claim is not None and math.isfinite(claim) else None
    scale = axis([0.0, *ends, *([shown] if shown is not None else [])], _LABEL, _RIGHT)
    bottom = _TOP + _ROW * len(rows)
    for x, label in scale.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=_TOP, y2=bottom)
        add(root, "text", label, css="tick", x=x, y=bottom + 17, text_anchor="middle")
    text = "epsilon: at least this much   ← better"
    middle = (_LABEL + _RIGHT) / 2
    add(root, "text", text, css="axis", x=middle, y=bottom + 37, text_anchor="middle")
    for i, row in enumerate(rows):
        _row(root, row, shown, scale, _TOP + _ROW * i)
    if shown is not None:
        x = scale.at(shown)
        add(root, "line", css="claimed", x1=x, x2=x, y1=_TOP - 4, y2=bottom)
        words = f"claimed: {number(shown)}"
        add(root, "text", words, css="claimed", x=x, y=_TOP - 9, text_anchor=_anchor(x))
    return markup(root)


def _row(root: Element, row: EpsilonRow, claim: float | None, scale: Axis, top: float) -> None:
    group = add(root, "g")
    ceiling = f"at most {number(row.ceiling)} could have been shown"
    tooltip(group, row.label, reading_text(row.bound), ceiling)
    lines = wrap_lines(row.label, _LETTERS)[:2]
    for i, line in enumerate(lines):
        y = top + _ROW / 2 + 5 + (i - (len(lines) - 1) / 2) * 14
        add(group, "text", line, css="tick", x=_LABEL - 8, y=y, text_anchor="end")
    start, middle = scale.at(0.0), top + _ROW / 2
    end = scale.at(row.ceiling if math.isfinite(row.ceiling) else scale.high)
    add(group, "rect", css="reach", x=start, y=middle - 9, width=max(0, end - start), height=18)
    add(group, "line", css="reach-end", x1=end, x2=end, y1=middle - 9, y2=middle + 9)
    if not row.bound.measured:
        add(group, "text", "not measured", css="tick", x=start + 4, y=middle + 4)
        return
    over = claim is not None and row.bound.value > claim
    x = scale.at(row.bound.value)
    css = f"bound{' over' if over else ''}{'' if row.decides else ' aside'}"
    add(group, "rect", css=css, x=start, y=middle - 6, width=max(2, x - start), height=12)
    figure = f"≥ {number(row.bound.value)}"
    add(group, "text", figure, css="figure", x=_WIDTH - 4, y=middle + 5, text_anchor="end")


def _anchor(x: float) -> str:
    return "end" if x > _RIGHT - 40 else "middle"
