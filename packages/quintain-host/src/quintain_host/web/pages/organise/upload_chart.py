"""Upload chart: how many submissions came on each day, as bars that the server draws."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from markupsafe import Markup

from quintain.figures.svg import add, describe, drawing, markup, tooltip
from quintain.wording.languages import say, say_count, to_say_count, write_day
from quintain_host.organising.dashboard import DayOfUploads

_WIDTH, _HEIGHT = 640, 180
_LEFT, _TOP, _RIGHT, _BOTTOM = 40, 14, 630, 150
_ACCEPTED = to_say_count("%(n)s upload accepted", "%(n)s uploads accepted")
_REFUSED = to_say_count("%(n)s upload refused", "%(n)s uploads refused")


def draw_days(days: Sequence[DayOfUploads]) -> Markup:
    """One bar for each day: what was accepted, and above it what was refused."""
    root = describe(
        drawing(_WIDTH, _HEIGHT, "plot"),
        "uploads",
        say("Submissions of each day"),
        say("The figures are in the table below it."),
    )
    most = max((day.accepted + day.refused for day in days), default=0) or 1
    step = (_RIGHT - _LEFT) / max(len(days), 1)
    add(root, "line", css="grid", x1=_LEFT, x2=_RIGHT, y1=_BOTTOM, y2=_BOTTOM)
    add(root, "line", css="grid", x1=_LEFT, x2=_RIGHT, y1=_TOP, y2=_TOP)
    add(root, "text", str(most), css="tick", x=_LEFT - 7, y=_TOP + 4, text_anchor="end")
    add(root, "text", "0", css="tick", x=_LEFT - 7, y=_BOTTOM + 4, text_anchor="end")
    for place, day in enumerate(days):
        left, foot = _LEFT + place * step + 0.1 * step, float(_BOTTOM)
        parts = ((day.accepted, "day", _ACCEPTED), (day.refused, "day refused", _REFUSED))
        for number, css, words in parts:
            height = (_BOTTOM - _TOP) * number / most
            foot -= height
            bar = add(
                root, "rect", css=css, x=left, y=foot, width=min(0.8 * step, 48), height=height
            )
            tooltip(bar, _day(day), say_count(*words, number))
    for day, x, anchor in [*((day, _LEFT, "start") for day in days[:1]), *_last(days)]:
        add(root, "text", _day(day), css="tick", x=x, y=_BOTTOM + 20, text_anchor=anchor)
    return markup(root)


def _day(day: DayOfUploads) -> str:
    return write_day(datetime.combine(day.day, datetime.min.time(), UTC))


def _last(days: Sequence[DayOfUploads]) -> list[tuple[DayOfUploads, int, str]]:
    """The last day with the place of its label, if it is another one than the first."""
    return [(days[-1], _RIGHT, "end")] if len(days) > 1 else []
