"""Freeze: the contest is over, and nothing that counts for its results can change any more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from quintain.commitment import sha256
from quintain.contests import Edition, Phase, Track
from quintain.errors import PhaseClosed
from quintain.figures.format import deadline
from quintain.jobs.executor import SERIAL, Executor
from quintain.journal.events import Frozen, Revealed
from quintain.journal.state import State, require_running
from quintain.programs.choice import STRANGERS, Containment
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing
from quintain.runs.organising.amend import checked_reason
from quintain.runs.score import answer_by_programs, score


def freeze(
    folder: Folder,
    why: str = "",
    *,
    now: datetime | None = None,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> Frozen:
    """End a contest; before the end of a phase only with a reason.

    The teams' programs answer first whatever they have not answered yet; ``containment`` is as
    for scoring.
    """
    folder.require_secrets()
    require_running(folder.state())
    moment, reason = now or datetime.now(UTC), checked_reason(why) if why else ""
    _require_reason(folder, reason, moment)
    answer_by_programs(folder, now=moment, executor=executor, containment=containment)
    with writing(folder) as journal:
        require_running(folder.state())
        _require_reason(folder, reason, moment)
        return record(folder, journal, Frozen(reason=reason), now=moment).event


def _require_reason(folder: Folder, reason: str, now: datetime) -> None:
    ends = [
        f"{phase.id} of track {track.id} until {deadline(phase.closes)}"
        for track, phase in unfinished_phases(folder.edition(), folder.state(), now)
        if phase.closes is not None
    ]
    if ends and not reason:
        raise PhaseClosed(
            f"phases are not over yet: {', '.join(ends)}; to end them now, give a reason with --why"
        )


def unfinished_phases(
    edition: Edition, state: State, now: datetime
) -> Iterator[tuple[Track, Phase]]:
    """The phases that still accept submissions, or will: those without an end never are over.

    A phase that is open for one team is not over, and is shown with the end of that team.
    """
    for track in map(state.for_last_team, edition.track):
        for phase in track.phase:
            handed_over = phase.submit == "release" and track.id in state.handed_over
            over = phase.closes is not None and phase.closes <= now
            if not (handed_over or over):
                yield track, phase


# Reveal: score a contest that is over for the last time, before its secrets are published.


def reveal(
    folder: Folder,
    *,
    now: datetime | None = None,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> Revealed:
    """Freeze, score and record that the secrets are published; a second call changes nothing."""
    folder.require_secrets()
    moment, state = now or datetime.now(UTC), folder.state()
    if state.revealed is not None:
        return state.revealed
    if state.frozen is None:
        _require_over(folder, moment)
        freeze(folder, now=moment, executor=executor, containment=containment)
    score(folder, executor=executor, now=moment)
    standings = sha256(folder.at(paths.STANDINGS).read_bytes())
    with writing(folder) as journal:
        revealed = folder.state().revealed  # somebody else may have been faster
        return revealed or record(folder, journal, Revealed(standings=standings), now=moment).event


def _require_over(folder: Folder, now: datetime) -> None:
    left = list(unfinished_phases(folder.edition(), folder.state(), now))
    if left:
        names = ", ".join(f"{phase.id} of track {track.id}" for track, phase in left)
        raise PhaseClosed(
            f"the contest is not over: {names}; "
            f"to end it now, run quintain freeze {folder.root} --why REASON"
        )
