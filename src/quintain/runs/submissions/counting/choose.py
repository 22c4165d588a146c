"""Choose: a team says which of its own submissions count, as long as their phase is open.

Without a choice the last submissions count. With one, exactly the chosen ones do: a later
submission counts only after the team has chosen again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from quintain.contests import Edition, Phase, Track
from quintain.errors import NoSuchPhase, Refused
from quintain.figures.counts import count
from quintain.journal.events import Chosen, Submitted
from quintain.journal.state import State, require_running
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.submissions.admission import choose_track, closed, expect


def choose(
    folder: Folder,
    team: str,
    numbers: Sequence[int],
    *,
    track: str | None = None,
    kind: str | None = None,
    now: datetime | None = None,
) -> Chosen:
    """Record which submissions of a team count, by the numbers of their events.

    Parameters
    ----------
    numbers : none means that the last submissions count again; ``track`` and ``kind`` then say of
        which phase, where several are open.
    """
    folder.require_secrets()
    with writing(folder) as journal:
        edition, state = folder.edition(), folder.state()
        own = list(journal.submissions(team))
        moment = journal.time_after(now or datetime.now(UTC))
        event = _choice(edition, state, own, team, numbers, moment, track, kind)
        for obstacle in obstacles(edition, state, own, event, moment):
            raise obstacle
        return record(folder, journal, event, now=moment).event


def selectable(submitted: Sequence[Submitted], track: str, phase: str) -> list[Submitted]:
    """The submissions of a phase that their team can choose: those that it made itself."""
    return [one for one in submitted if (one.track, one.phase, one.made_by) == (track, phase, None)]


def most_chosen(phase: Phase) -> int | None:
    """How many submissions of a phase a team can choose; None sets no limit."""
    if phase.contract is not None:
        return 1
    return phase.keep if phase.submit == "release" else None


def obstacles(
    edition: Edition, state: State, own: Sequence[Submitted], event: Chosen, now: datetime
) -> Iterator[Refused]:
    """Why a team cannot choose this now; ``own`` are its submissions so far."""
    require_running(state)
    state.roster.entrant(event.team)
    track = choose_track(edition, event.track)
    phase = next((phase for phase in track.phase if phase.id == event.phase), None)
    if phase is None:
        yield NoSuchPhase(f"track {track.id} has no phase {event.phase!r}")
        return
    reason = state.excluded(event.team)
    if reason:
        yield Refused(f"team {event.team} is disqualified: {reason}")
    yield from closed(track, phase, state, now)
    yield from _not_offered(track, phase)
    yield from _not_selectable(event, own, phase)
    if event.submissions == state.chosen(event.team, track.id, phase.id):
        yield Refused("exactly these submissions count already")


def _not_offered(track: Track, phase: Phase) -> Iterator[Refused]:
    if phase.counts == "best":
        yield Refused(f"in phase {phase.id} the best guess counts, so nothing can be chosen")
    if phase.submit == "guess" and track.feedback.show == "full":
        yield Refused(
            "teams see every score here, and a choice would be one more question about the hidden "
            "answers; submit the guess again instead"
        )


def _not_selectable(event: Chosen, own: Sequence[Submitted], phase: Phase) -> Iterator[Refused]:
    numbers, most = event.submissions, most_chosen(phase)
    if list(numbers) != sorted(set(numbers)):
        yield Refused("name every submission once, the earliest first")
    known = {one.number for one in selectable(own, event.track, event.phase)}
    for number in numbers:
        if number not in known:
            yield Refused(
                f"event {number} is no submission of team {event.team} to phase {event.phase} of "
                f"track {event.track}"
            )
    if most is not None and len(numbers) > most:
        yield Refused(f"at most {count(most, 'submission')} of phase {event.phase} can count")


def _choice(
    edition: Edition,
    state: State,
    own: Sequence[Submitted],
    team: str,
    numbers: Sequence[int],
    now: datetime,
    track: str | None,
    kind: str | None,
) -> Chosen:
    """The event for a choice: the phase of the first submission that is named, or the open one."""
    for one in own:
        if one.number in numbers and one.made_by is None:
            wanted = tuple(sorted(set(numbers)))
            return Chosen(team=team, track=one.track, phase=one.phase, submissions=wanted)
    if numbers:
        state.roster.entrant(team)
        raise Refused(f"event {numbers[0]} is no submission of team {team}")
    expected = expect(edition, state, own, team, now, track, kind)
    return Chosen(team=team, track=expected.track.id, phase=expected.phase.id, submissions=())
