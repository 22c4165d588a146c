"""Timeline: the phases of a contest with their dates, and which of them is open now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from pydantic import BaseModel

from quintain.contests import Edition, Phase, Track
from quintain.figures.format import count
from quintain.journal.state import State

PhaseState = Literal["later", "open", "over"]


class PhaseView(BaseModel):
    """A phase of a contest.

    Parameters
    ----------
    submit : what teams submit: a "release", a "guess", or a "program" that makes one of them.
    extended : why the organisers changed the end of the phase; empty if they did not.
    state : whether it is open now. A phase without dates is open from the preparation to the end.
    """

    track: str
    track_title: str
    id: str
    submit: Literal["release", "guess", "program"]
    makes: Literal["release", "guess"]
    opens: datetime | None
    closes: datetime | None
    extended: str = ""
    state: PhaseState

    @property
    def task(self) -> str:
        """What teams do in this phase, in a few words."""
        if self.submit == "program":
            makes = "makes a release" if self.makes == "release" else "attacks the releases"
            return f"Submit a program that {makes}"
        if self.makes == "release":
            return "Protect your private data and submit a release"
        return "Attack the releases and submit your guesses"


def timeline(rules: Edition, state: State, now: datetime) -> list[PhaseView]:
    """The phases of all tracks, in the order in which they open."""
    views = [
        _view(rules, track, phase, state, now) for track in rules.track for phase in track.phase
    ]
    return sorted(views, key=lambda view: (view.opens is None, view.opens))


def _view(rules: Edition, track: Track, phase: Phase, state: State, now: datetime) -> PhaseView:
    amended = state.amended.get((track.id, phase.id))
    return PhaseView(
        track=track.id,
        track_title=track.title or (track.id if len(rules.track) > 1 else ""),
        id=phase.id,
        submit=phase.submit if phase.contract is None else "program",
        makes=phase.submit,
        opens=phase.opens,
        closes=phase.closes,
        extended="" if amended is None else amended.reason,
        state=phase_state(track, phase, state, now),
    )


def phase_state(track: Track, phase: Phase, state: State, now: datetime) -> PhaseState:
    """Whether a phase is open: by its dates, by what is prepared, and by what has ended it."""
    handed_over = phase.submit == "release" and track.id in state.handed_over
    if state.frozen is not None or state.revealed is not None or handed_over:
        return "over"
    if phase.closes is not None and now >= phase.closes:
        return "over"
    ahead = phase.opens is not None and now < phase.opens
    return "later" if ahead or track.id not in state.prepared else "open"


def next_moment(phases: Sequence[PhaseView], now: datetime) -> datetime | None:
    """When the next phase opens or closes."""
    moments = [moment for phase in phases for moment in (phase.opens, phase.closes)]
    return min((moment for moment in moments if moment is not None and moment > now), default=None)


def duration_words(span: timedelta) -> str:
    """How long something takes until it happens, for people.

    >>> duration_words(timedelta(days=3, hours=4, minutes=5)), duration_words(timedelta(seconds=20))
    ('in 3 days and 4 hours', 'in less than a minute')
    """
    minutes = int(span.total_seconds() // 60)
    if minutes < 0:
        return "now"
    days, hours, left = minutes // 1440, minutes % 1440 // 60, minutes % 60
    units = [count(days, "day"), count(hours, "hour"), count(left, "minute")]
    first = next((i for i, size in enumerate((days, hours, left)) if size), None)
    return "in less than a minute" if first is None else f"in {' and '.join(units[first:][:2])}"
