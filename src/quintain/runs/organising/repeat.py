"""Repeat: run every program that made a release once more before the hand-over, and compare.

A program must make the same bytes whenever and wherever it runs. Otherwise nobody could verify the
contest, and it could be verified today and not tomorrow. The second run is on another day, and the
program sees another machine: another name, boot id and clock, and another user outside; on a site
another worker makes it, if there is one. Both hashes are in the journal, so the team has a receipt
of them. A release that was not made again is disqualified, with the reason for everybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from quintain.contests import Track
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job
from quintain.journal.events import Decided, SecondRun, Submitted
from quintain.programs.choice import STRANGERS, Containment
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record_all, writing
from quintain.runs.organising.decide import Subject, decision_obstacles
from quintain.runs.submissions.counting import last_releases
from quintain.runs.tasks.programs import (
    DEPENDS_ON_MACHINE,
    RunOutcome,
    contain,
    contract_for,
    latest_programs,
    made_file,
    made_files,
    program_tasks,
    second_job,
    second_outcome,
)


def repeat_programs(
    folder: Folder,
    track: Track,
    *,
    now: datetime,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> None:
    """Run every program of a track that made a release again; disqualify what differs.

    A program runs no third time: what organisers decide afterwards stays.
    """
    contract = contract_for(track, "release")
    if contract is None:
        return
    known = folder.state().repeated
    programs = [
        program
        for program in latest_programs(folder, track, "release")
        if program.number not in known and made_files(folder, program)
    ]
    jobs: dict[int, dict[str, Job]] = {
        program.number: {
            made_file(track, "release", task, program.team): second_job(
                folder, track, "release", contract, program, task
            )
            for task in program_tasks(folder, track, "release", program.team)
        }
        for program in programs
    }
    every = [job for newest in jobs.values() for job in newest.values()]
    if not all(map(folder.is_done, every)):
        folder.run(contain(every, contract, containment), executor=executor, label="programs again")
    for program in programs:
        own = jobs[program.number].items()
        outcomes = {name: second_outcome(folder, job) for name, job in own}
        _record(folder, track, program, outcomes, now)


def _record(
    folder: Folder,
    track: Track,
    program: Submitted,
    outcomes: Mapping[str, RunOutcome],
    now: datetime,
) -> None:
    first = made_files(folder, program)
    made = {file: digest for run in outcomes.values() for file, digest in run.digests.items()}
    second = {name: made[name] for name in first if name in made}
    reason = next((outcome.reason for outcome in outcomes.values() if outcome.reason), "")
    event = SecondRun(
        team=program.team,
        track=track.id,
        program=program.number,
        first=first,
        second=second,
        reason=reason,
    )
    with writing(folder) as journal:
        if program.number in folder.state().repeated:
            return  # somebody else was faster
        decided = [] if _agrees(event) else _decide(folder, track, event)
        record_all(folder, journal, [event, *decided], now=now)


def _agrees(event: SecondRun) -> bool:
    """Whether nothing is wrong with a second run; a slow machine is not the program's fault."""
    if event.reason:
        return event.reason in DEPENDS_ON_MACHINE
    return event.second == event.first


def _decide(folder: Folder, track: Track, event: SecondRun) -> list[Decided]:
    """The decision on every release of a program that did not make it again."""
    made = f"nothing: {event.reason}" if event.reason else "something else"
    reason = (
        f"its program made {made} when it ran again before the hand-over; a program must make the "
        "same bytes on every day and every machine, with the seed that it is given"
    )
    state = folder.state()
    entries = [
        release.id
        for release in last_releases(folder, track, folder.journal().size())
        if release.team == event.team
    ]
    return [
        Decided(
            decision="disqualified", team=event.team, track=track.id, entry=entry, reason=reason
        )
        for entry in entries
        if not decision_obstacles(state, "disqualified", Subject(event.team, track.id, entry))
    ]
