"""Histories view: how many known rows are enough to recognise somebody, as a drawing."""

from __future__ import annotations

from quintain.audits.results import Histories
from quintain.figures.curves import CurvePlot, curve_plot
from quintain.measures import Curve
from quintain.rankings import Entry

_SAYS = (
    "How many rows of a person the attacker knows, and for which share of the people one pseudonym "
    "then stands out. The figures are in the table below."
)


def histories_plot(histories: Histories) -> CurvePlot | None:
    """Draw the curve of unicity; None if fewer than two numbers of rows were tried."""
    points = histories.known_rows
    if len(points) < 2:
        return None
    names = {float(point.rows): f"rows {point.rows}" for point in points}
    lines = {
        "people in the data for whom one pseudonym stands out": [p.stands_out for p in points],
        "people outside the data": [p.control for p in points],
    }
    right = [point.right for point in points if point.right is not None]
    if len(right) == len(points):
        lines["people in the data whose own pseudonym fits best"] = right
    entries = [
        (label, Entry(label, None, dict(zip(names.values(), readings, strict=True))))
        for label, readings in lines.items()
    ]
    curve = Curve("Share of people who are recognised", "known rows of a person", names, even=True)
    return curve_plot(curve, entries, "histories-curve", _SAYS)
