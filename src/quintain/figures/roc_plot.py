"""ROC plot: how many members attacks find at each rate of false alarms, on logarithmic axes.

The grey band is exact: under blind guessing, the number of members above the j-th highest score of
the others follows a beta-binomial law, whatever the scores are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from quintain.figures.axis import LogAxis, decades_for
from quintain.figures.svg import Element, add, describe, drawing, markup, tooltip

_WIDTH, _HEIGHT = 580, 440
_LEFT, _TOP, _RIGHT, _BOTTOM = 74, 16, 560, 376
_STYLES = 6
_POINTS = 160
"""More points than this are no sharper on paper."""
MOST_CURVES = 6
BAND = 0.95
"""How many of 100 blind attackers are inside the band, at each rate of false alarms."""


@dataclass(frozen=True, slots=True)
class RocLine:
    """A curve to draw, with its name and the number of its style."""

    name: str
    false_positive_rate: Sequence[float]
    true_positive_rate: Sequence[float]
    style: int = 0

    @property
    def key(self) -> Markup:
        """A short piece of the line, for the legend."""
        root = drawing(40, 14, "plot key")
        add(root, "line", css=_css(self.style), x1=2, x2=38, y1=7, y2=7)
        return markup(root)


def roc_plot(lines: Sequence[RocLine], members: int, others: int, name: str) -> Markup:
    """Draw curves with the diagonal and, if the numbers of people are known, the band of luck."""
    decades = decades_for(max(members, others))
    across, down = LogAxis(decades, _LEFT, _RIGHT), LogAxis(decades, _BOTTOM, _TOP)
    root = describe(
        drawing(_WIDTH, _HEIGHT, "plot"),
        name,
        "Share of people found in the data, against the share of false alarms",
        "Both axes are logarithmic. The straight line is blind guessing. A curve above the grey "
        "band finds more people than luck explains. The figures are in the table of attacks.",
    )
    if members and others:
        _band(root, members, others, across, down)
    _grid(root, across, down)
    add(root, "path", css="diagonal", d=f"M{_LEFT} {_BOTTOM}L{_RIGHT} {_TOP}")
    for line in lines:
        drawn = add(root, "path", css=_css(line.style), d=_path(line, across, down))
        tooltip(drawn, line.name)
    return markup(root)


def luck_band(members: int, others: int, rates: Sequence[float]) -> list[tuple[float, float]]:
    """The middle 95 % of what a blind attacker finds at each rate of false alarms.

    >>> [(round(low, 3), round(high, 3)) for low, high in luck_band(1000, 1000, [0.01, 0.1])]
    [(0.003, 0.02), (0.075, 0.127)]
    """
    from scipy.stats import betabinom

    tail = (1 - BAND) / 2
    ranks = np.maximum(1, np.rint(np.asarray(rates) * others)).astype(int)
    law = betabinom(members, ranks, others + 1 - ranks)
    low, high = law.ppf(tail) / members, law.ppf(1 - tail) / members
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _band(root: Element, members: int, others: int, across: LogAxis, down: LogAxis) -> None:
    rates = np.geomspace(max(across.low, 1 / others), 1.0, 50).tolist()
    ends = luck_band(members, others, rates)
    upper = [(across.at(f), down.at(high)) for f, (_, high) in zip(rates, ends, strict=True)]
    lower = [(across.at(f), down.at(low)) for f, (low, _) in zip(rates, ends, strict=True)]
    shape = "L".join(f"{x:.1f} {y:.1f}" for x, y in [*upper, *reversed(lower)])
    tooltip(add(root, "path", css="band", d=f"M{shape}Z"), "where blind attackers are")


def _grid(root: Element, across: LogAxis, down: LogAxis) -> None:
    for x, label in across.ticks():
        add(root, "line", css="grid", x1=x, x2=x, y1=_TOP, y2=_BOTTOM)
        add(root, "text", label, css="tick", x=x, y=_BOTTOM + 18, text_anchor="middle")
    for y, label in down.ticks():
        add(root, "line", css="grid", x1=_LEFT, x2=_RIGHT, y1=y, y2=y)
        add(root, "text", label, css="tick", x=_LEFT - 7, y=y + 4, text_anchor="end")
    width, height = _RIGHT - _LEFT, _BOTTOM - _TOP
    add(root, "rect", css="frame", x=_LEFT, y=_TOP, width=width, height=height)
    middle, centre = (_LEFT + _RIGHT) / 2, (_TOP + _BOTTOM) / 2
    text = "false alarms: people outside the data taken for members"
    add(root, "text", text, css="axis", x=middle, y=_HEIGHT - 18, text_anchor="middle")
    text, turn = "← better   people in the data found", f"rotate(-90 16 {centre:.1f})"
    add(root, "text", text, css="axis", x=16, y=centre, text_anchor="middle", transform=turn)


def _path(line: RocLine, across: LogAxis, down: LogAxis) -> str:
    """The curve as a path, with as many points as can be seen."""
    spots = sorted(zip(line.false_positive_rate, line.true_positive_rate, strict=True))
    out: list[str] = []
    last = (-9.0, -9.0)
    step = (across.end - across.start) / _POINTS
    for i, (false, true) in enumerate(spots):
        if true < down.low:
            continue
        x, y = across.at(false), down.at(true)
        if abs(x - last[0]) + abs(y - last[1]) >= step or i == len(spots) - 1:
            out.append(f"{x:.1f} {y:.1f}")
            last = (x, y)
    return "M" + "L".join(out) if out else ""


def _css(style: int) -> str:
    return f"series colour-{style % _STYLES + 1} dash-{style % 4 + 1}"
