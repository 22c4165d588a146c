"""Charts of a team: how the readings of its releases went, and the scores that it may see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from quintain.figures.axis import axis, drawable
from quintain.figures.format import number, spaced
from quintain.figures.svg import Element, add, describe, drawing, markup, tooltip
from quintain.wording.languages import say
from quintain_host.teams.history import History

_WIDTH, _HEIGHT = 580, 220
_LEFT, _TOP, _RIGHT, _BOTTOM = 60, 16, 564, 176
_MOST_LABELS = 12
_MOST_LETTERS = 64
"""How many letters have room beside each other below the axis."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with its title and the points that it shows, for the table beside it."""

    title: str
    drawn: Markup
    points: tuple[tuple[str, str], ...]


def release_charts(history: History) -> list[Chart]:
    """One chart for each reading of the team's releases, from the first to the last."""
    names = dict.fromkeys(
        (submission.track, name)
        for submission in history.submissions
        for name in submission.readings
    )
    charts = []
    for place, (track, name) in enumerate(names):
        points = [
            (say("event %(event)s", event=submission.event), submission.readings[name].value)
            for submission in history.submissions
            if submission.track == track and name in submission.readings
        ]
        title = say("%(name)s of your releases, track %(track)s", name=spaced(name), track=track)
        charts.append(_chart(title, points, f"release-{place}", joined=True))
    return charts


def score_charts(history: History) -> list[Chart]:
    """One chart for each score that the team may see, with one point per entry."""
    names = dict.fromkeys((score.track, score.name) for score in history.scores)
    charts = []
    for place, (track, name) in enumerate(names):
        points = [
            (score.entry, score.value)
            for score in history.scores
            if (score.track, score.name) == (track, name)
        ]
        title = say("%(name)s of your attacks, track %(track)s", name=spaced(name), track=track)
        charts.append(_chart(title, points, f"score-{place}", joined=False))
    return charts


def _chart(title: str, points: Sequence[tuple[str, float]], name: str, *, joined: bool) -> Chart:
    root = describe(
        drawing(_WIDTH, _HEIGHT, "plot"), name, title, say("The figures are in the table below it.")
    )
    down = axis([value for _, value in points], _BOTTOM - 8, _TOP + 8, ticks=5)
    for y, label in down.ticks():
        add(root, "line", css="grid", x1=_LEFT, x2=_RIGHT, y1=y, y2=y)
        add(root, "text", label, css="tick", x=_LEFT - 7, y=y + 4, text_anchor="end")
    width, height = _RIGHT - _LEFT, _BOTTOM - _TOP
    add(root, "rect", css="frame", x=_LEFT, y=_TOP, width=width, height=height)
    places = _places(len(points))
    spots = [
        (x, down.at(value), text, value)
        for x, (text, value) in zip(places, points, strict=True)
        if drawable(value) and not math.isnan(value)
    ]
    if joined:
        for start, end in pairwise(spots):
            css = "series colour-1 dash-1"
            add(root, "line", css=css, x1=start[0], y1=start[1], x2=end[0], y2=end[1])
    for x, y, text, value in spots:
        tooltip(add(root, "circle", css="mark colour-1", cx=x, cy=y, r=4.5), text, _text(value))
    _label(root, [(x, text) for x, (text, _) in zip(places, points, strict=True)])
    return Chart(title, markup(root), tuple((text, _text(value)) for text, value in points))


def _text(value: float) -> str:
    """A number without zeros at its end: a score that was rounded must not look exact.

    >>> _text(0.6), _text(-0.25), _text(100.0)
    ('0.6', '−0.25', '100')
    """
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _places(count: int) -> list[float]:
    step = (_RIGHT - _LEFT) / max(count, 1)
    return [_LEFT + step * (place + 0.5) for place in range(count)]


def _label(root: Element, labels: Sequence[tuple[float, str]]) -> None:
    """Write the names below the axis, as far as there is room; the table has all of them."""
    if len(labels) > _MOST_LABELS:
        labels = [labels[0], labels[-1]]
    room = max(4, _MOST_LETTERS // max(len(labels), 1))
    for x, text in labels:
        short = text if len(text) <= room else f"{text[: room - 1]}…"
        add(root, "text", short, css="tick", x=x, y=_BOTTOM + 20, text_anchor="middle")
