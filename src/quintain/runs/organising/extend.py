"""Extend: let a phase close later, with a reason for everybody; never earlier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from quintain.contests import Edition, Phase, Track
from quintain.errors import NoSuchPhase, NoSuchTrack, PhaseClosed, Refused
from quintain.figures.format import minute
from quintain.journal.events import Amended, write_time
from quintain.journal.state import State, require_running
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.organising.amend import checked_reason


@dataclass(frozen=True, slots=True)
class Extension:
    """A phase that closes later, and when it would have closed."""

    event: Amended
    before: datetime


def extend(
    folder: Folder,
    phase: str,
    until: datetime,
    why: str,
    *,
    track: str | None = None,
    now: datetime | None = None,
) -> Extension:
    """Let a phase close later; one that is over is open again.

    Parameters
    ----------
    phase, track : the ids; the track is needed only if several tracks have such a phase.
    """
    folder.require_secrets()
    reason = checked_reason(why)
    with writing(folder) as journal:
        state = folder.state()
        require_running(state)
        chosen, extended = _choose(folder.edition(), phase, track)
        moment = journal.time_after(now or datetime.now(UTC))
        for obstacle in obstacles(state, chosen, extended, until, moment):
            raise obstacle
        assert extended.closes is not None  # else that was an obstacle
        event = Amended(track=chosen.id, phase=extended.id, closes=write_time(until), reason=reason)
        return Extension(record(folder, journal, event, now=moment).event, extended.closes)


def obstacles(
    state: State, track: Track, phase: Phase, until: datetime, now: datetime
) -> Iterator[Refused]:
    """Why a phase cannot close at another time; ``phase`` is as the rules in force have it."""
    if until.utcoffset() is None:
        yield Refused(f"say in which zone: write UTC times as 2026-05-01T12:00Z, not {until}")
        return
    if phase.closes is None:
        yield Refused(f"phase {phase.id} of track {track.id} has no end that could be extended")
        return
    if phase.submit == "release" and track.id in state.handed_over:
        yield PhaseClosed(
            f"the releases of track {track.id} were handed over at "
            f"{minute(state.handed_over[track.id].moment)}; its phase {phase.id} stays closed"
        )
    if until <= phase.closes:
        yield Refused(
            f"phase {phase.id} closes at {minute(phase.closes)}, and teams rely on it: a phase can "
            "become longer, never shorter"
        )
    if until <= now:
        yield Refused(f"{minute(until)} is over; it is {minute(now)}")


def _choose(edition: Edition, phase: str, track: str | None) -> tuple[Track, Phase]:
    known = [(t, p) for t in edition.track for p in t.phase if track in (None, t.id)]
    if not known:
        names = ", ".join(track.id for track in edition.track)
        raise NoSuchTrack(f"unknown track {track!r}; available: {names}")
    fitting = [(t, p) for t, p in known if p.id == phase]
    if not fitting:
        names = ", ".join(dict.fromkeys(p.id for _, p in known))
        raise NoSuchPhase(f"unknown phase {phase!r}; available: {names}")
    if len(fitting) > 1:
        names = ", ".join(t.id for t, _ in fitting)
        raise NoSuchTrack(f"several tracks have a phase {phase}; choose one with --track: {names}")
    return fitting[0]
