"""Decide: disqualify a team or one of its releases, or reinstate it, with a reason for everybody.

A disqualified team cannot submit and gets no rank, and its releases count for nobody. What it did
before stays in the matrix. Reinstating it restores everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from quintain.contests import Track
from quintain.errors import NoSuchTrack, Refused
from quintain.journal.events import Decided
from quintain.journal.state import State, require_running
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.organising.amend import checked_reason
from quintain.runs.submissions.admission import choose_track
from quintain.runs.submissions.counting import last_releases

Decision = Literal["disqualified", "reinstated"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a decision is about: a team, or one release of it."""

    team: str
    track: str | None = None
    entry: str | None = None

    def __str__(self) -> str:
        if self.entry is None:
            return f"team {self.team}"
        return f"release {self.entry} of team {self.team} in track {self.track}"


def decide(
    folder: Folder, decision: Decision, subject: Subject, why: str, *, now: datetime | None = None
) -> Decided:
    """Record a decision on a team, or on one of its releases."""
    folder.require_secrets()
    reason = checked_reason(why)
    with writing(folder) as journal:
        state = folder.state()
        chosen = _find_subject(folder, state, subject)
        for obstacle in decision_obstacles(state, decision, chosen):
            raise obstacle
        event = Decided(
            decision=decision,
            team=chosen.team,
            track=chosen.track,
            entry=chosen.entry,
            reason=reason,
        )
        return record(folder, journal, event, now=now or datetime.now(UTC)).event


def decision_obstacles(state: State, decision: Decision, subject: Subject) -> list[Refused]:
    """Why a decision cannot be taken in this state; empty if it can."""
    require_running(state)
    state.roster.entrant(subject.team)
    own = _own_reason(state, subject)
    if decision == "disqualified" and own:
        return [Refused(f"{subject} is disqualified already: {own}")]
    if decision == "reinstated" and not own:
        return [Refused(f"{subject} is not disqualified")]
    return []


def _own_reason(state: State, subject: Subject) -> str:
    """Why exactly this team or release is disqualified; empty if it is not."""
    last = [
        event
        for event in state.decisions
        if (event.team, event.track, event.entry) == (subject.team, subject.track, subject.entry)
    ]
    return last[-1].reason if last and last[-1].decision == "disqualified" else ""


def _find_subject(folder: Folder, state: State, subject: Subject) -> Subject:
    """The subject with its entry filled in; raises if there is no such release."""
    state.roster.entrant(subject.team)
    if subject.track is None and subject.entry is None:
        return subject
    track = choose_track(folder.edition(), subject.track)
    if not track.teams_release:
        raise NoSuchTrack(f"in track {track.id} teams make no releases")
    own = _entries(folder, track, subject.team)
    if not own:
        raise Refused(f"team {subject.team} has made no release in track {track.id}")
    entry = own[0] if subject.entry is None and len(own) == 1 else subject.entry
    if entry not in own:
        problem = "several releases count" if entry is None else f"unknown release {entry!r}"
        raise Refused(f"{problem}; choose one with --entry: {', '.join(own)}")
    return Subject(subject.team, track.id, entry)


def missing_releases(folder: Folder, team: str) -> list[Subject]:
    """The releases of a team that no attacker got: they were disqualified at the hand-over."""
    return [
        Subject(team, track.id, entry)
        for track in folder.edition().track
        if track.id in folder.state().handed_over
        for entry in _entries(folder, track, team)
        if entry not in folder.owners(track)
    ]


def _entries(folder: Folder, track: Track, team: str) -> list[str]:
    """The last releases of a team, whatever was decided on them."""
    size = folder.journal().size()
    return [release.id for release in last_releases(folder, track, size) if release.team == team]
