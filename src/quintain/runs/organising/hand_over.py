"""Hand over: give the teams' releases of a round to the attackers, once, under a commitment.

What is handed over is a function of the keys and of the first events of the journal. The event
says how many events those are, so anybody can repeat it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from quintain.contests import Track
from quintain.errors import FolderError, NoSuchTrack, PhaseClosed, Refused
from quintain.figures.format import deadline, listed
from quintain.jobs.executor import SERIAL, Executor
from quintain.journal.events import HandedOver, Submitted
from quintain.journal.state import require_running
from quintain.programs.choice import STRANGERS, Containment
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import commit, record, writing
from quintain.runs.organising.repeat import repeat_programs
from quintain.runs.organising.stages import hand_over_jobs
from quintain.runs.submissions.counting import counting_releases, submissions
from quintain.runs.tasks.programs import contract_for, latest_programs, run_programs


def hand_over(
    folder: Folder,
    track: str | None = None,
    *,
    now: datetime | None = None,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> str:
    """Give the releases of a track to the attackers; returns the track.

    The last releases of each team count. Raises while the release phase is open, and as long as no
    team has submitted a valid release. ``containment`` says where programs run: see
    ``run_programs``. Each program runs twice: see ``repeat_programs``.
    """
    folder.require_secrets()
    moment = now or datetime.now(UTC)
    require_running(folder.state())
    chosen = _choose(folder, track)
    _require_possible(folder, chosen, moment)
    run = partial(run_programs, executor=executor, containment=containment)
    while True:
        chosen = folder.edition().track_by_id(chosen.id)
        programs = _programs(folder, chosen)
        run(folder, chosen, "release", now=moment)
        repeat_programs(folder, chosen, now=moment, executor=executor, containment=containment)
        if _handed_over(folder, chosen, moment, executor, programs):
            return chosen.id
        # A release, a program or other rules came in while this one was prepared; obey them, too.


def _programs(folder: Folder, track: Track) -> list[int]:
    """The programs that make the teams' releases, by the numbers of their events."""
    if contract_for(track, "release") is None:
        return []
    return [program.number for program in latest_programs(folder, track, "release")]


def _handed_over(
    folder: Folder, track: Track, now: datetime, executor: Executor, programs: list[int]
) -> bool:
    """Hand over what counts now; returns False if something else counts by the time it is done."""
    size = folder.journal().size()
    releases = counting_releases(folder, track, size)
    if not releases:
        raise FolderError(f"there is nothing to hand over: {_why_nothing(folder, track)}")
    state = folder.state()
    jobs = hand_over_jobs(folder, track, state, size)
    folder.run(jobs, executor=executor, label="hand-over")
    with writing(folder) as journal:
        require_running(folder.state())
        current = folder.edition().track_by_id(track.id)
        _require_possible(folder, current, now)
        if _programs(folder, track) != programs or folder.state().roster.ids != state.roster.ids:
            return False
        if counting_releases(folder, current, folder.journal().size()) != releases:
            return False
        # Inside the lock: a slower process must not replace the commitment of an event.
        root = commit(folder, f"handover-{track.id}", folder.outputs(jobs))
        record(folder, journal, HandedOver(track=track.id, size=size, commitment=root), now=now)
    return True


def _choose(folder: Folder, track: str | None) -> Track:
    """The track to hand over: the one that is named, or the only one that waits for it."""
    edition, state = folder.edition(), folder.state()
    tracks = [candidate for candidate in edition.track if candidate.teams_release]
    if not tracks:
        raise Refused("there is nothing to hand over: in this contest teams make no releases")
    waiting = [t for t in tracks if t.id in state.prepared and t.id not in state.handed_over]
    if track is None and len(waiting) == 1:
        return waiting[0]
    if track is None and not waiting:
        raise Refused("the releases of every round that is prepared were handed over already")
    names = ", ".join(candidate.id for candidate in tracks)
    if track is None:
        raise NoSuchTrack(f"several rounds can be handed over; choose one with --track: {names}")
    if track not in [candidate.id for candidate in tracks]:
        raise NoSuchTrack(f"no releases are made in track {track!r}; choose one of: {names}")
    if track not in state.prepared:
        raise Refused(f"track {track} is not prepared yet: run quintain prepare --track {track}")
    return edition.track_by_id(track)


def _require_possible(folder: Folder, track: Track, now: datetime) -> None:
    """Refuse a second hand-over, and one while a release phase is open or not open yet.

    Hand-over ends a phase without dates.
    """
    if track.id in folder.state().handed_over:
        raise Refused(f"the releases of track {track.id} were handed over already")
    state = folder.state()
    for phase in state.for_last_team(track).phase:
        if phase.submit == "release" and phase.closes is not None and now < phase.closes:
            late = sorted(t for t, *where in state.deadlines if where == [track.id, phase.id])
            whom = "" if phase in track.phase else f" for {listed(late)}"
            raise PhaseClosed(
                f"phase {phase.id} of track {track.id} is open until {deadline(phase.closes)}"
                f"{whom}; hand over after that"
            )


def _why_nothing(folder: Folder, track: Track) -> str:
    programs = [program for program in submissions(folder) if _is_program(program, track)]
    excluded = [event.reason for event in folder.state().decisions if event.track == track.id]
    if excluded:
        return f"what teams released is disqualified: {excluded[-1]}"
    if not programs:
        return "no team has submitted a release"
    where = ", ".join(paths.reason(program.number) for program in programs[:3])
    return f"no program made a valid release; {where} says why"


def _is_program(event: Submitted, track: Track) -> bool:
    return event.track == track.id and event.kind == "program"
