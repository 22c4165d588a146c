"""Programs: the organisers run what teams submitted, and submit the results for them.

A program is a submission like any other, in the journal. So are its results: their event names
the program. A program that fails makes nothing; the contest goes on. One sentence of a short list
is stored beside it for its team. Details and tracebacks could carry private data out: they stay in
the cache, which only the organisers see, and a team sees them after a rehearsal on public data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from quintain.commitment import canonical_json, sha256
from quintain.contests import Track
from quintain.data.files import to_bytes
from quintain.errors import Faults, PartError, SubmissionError
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.files import write_file
from quintain.jobs.job import Job, fingerprint
from quintain.journal.events import Submitted
from quintain.programs import (
    AnswerContract,
    Contract,
    Draws,
    GuessContract,
    Made,
    ReleaseContract,
    Role,
)
from quintain.programs.choice import PARTS, STRANGERS, Containment, Ticket, sandbox_of
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.precision import round_like
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import CACHE, REASON, TRACEBACK, Task
from quintain.runs.submissions.checking import (
    check,
    guess_file,
    release_data,
    release_file,
    unpack_program,
)
from quintain.runs.submissions.counting import file_of, last_programs, record_made, submissions
from quintain.runs.tasks.queries import queries_of_program

RELEASE = "release.parquet"
AGAIN = "again.json"
"""What a program did when it ran for the second time."""

BESIDE = (paths.CARD, paths.RECIPE_LOG)
"""What may lie beside a release that the judge made with its own parts."""

DEPENDS_ON_MACHINE = (Reason.OUT_OF_TIME.value, Reason.OUT_OF_MEMORY.value)
"""Reasons for which a slower machine may stop a program that was in time elsewhere."""


def run_new_programs(
    folder: Folder,
    role: Role,
    *,
    now: datetime,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> None:
    """Run the programs of every round that waits for them; none after the end of the contest.

    Programs that make releases run for nothing once the releases of their round are handed over.
    """
    state = folder.state()
    if state.frozen is not None:
        return
    run = partial(run_programs, folder, now=now, executor=executor, containment=containment)
    for track in folder.edition().track:
        handed_over = role == "release" and track.id in state.handed_over
        if track.id in state.prepared and not handed_over:
            run(track, role)


def run_programs(
    folder: Folder,
    track: Track,
    role: Role,
    *,
    now: datetime,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> None:
    """Run every team's last program of a track on the tasks that it has not run on yet.

    Programs of strangers need a sandbox that contains them; see ``Containment``.
    """
    contract = contract_for(track, role)
    if contract is None:
        return
    programs = latest_programs(folder, track, role)
    jobs = [
        program_job(folder, track, role, contract, program, task)
        for program in programs
        for task in program_tasks(folder, track, role, program.team)
    ]
    if not all(map(folder.is_done, jobs)):
        folder.run(contain(jobs, contract, containment), executor=executor, label="programs")
    for program in programs:
        _submit(folder, track, role, program, now)


def contain(jobs: Sequence[Job], contract: Contract, containment: Containment) -> list[Job]:
    """The same jobs in a sandbox, if they run code; raises if no machine may run the programs."""
    ticket = (containment if contract.is_code else PARTS).ticket()
    return [replace(job, args=(ticket, *job.args)) for job in jobs]


def contract_for(track: Track, role: Role) -> Contract | None:
    """The contract for programs of a role; None if teams submit files."""
    phase = track.phase_for(role)
    return None if phase is None else phase.contract


def latest_programs(folder: Folder, track: Track, role: Role) -> list[Submitted]:
    """The program of each team that counts; only these are run."""
    state = folder.state()
    programs = last_programs(state, submissions(folder), role, track)
    return [program for program in programs if not state.excluded(program.team)]


def program_tasks(folder: Folder, track: Track, role: Role, team: str) -> list[Task]:
    """The tasks of a team's program: its own private data, or every release but its own."""
    if role == "release":
        return [Task(track.id, team)]
    return folder.read(track).tasks_for(team)


def program_job(
    folder: Folder, track: Track, role: Role, contract: Contract, program: Submitted, task: Task
) -> Job:
    """One run of a program on one task; see :func:`contain`."""
    key = fingerprint("program", contract.spec(), program.hash, task, folder.secrets().draws)
    name = f"program/{track.id}/{program.number}/{task.name}"
    (packed,) = program.files
    args = (role, program.team, program.number, file_of(program, packed), *task.args)
    return Job.of(name, run_program, args, key)


def run_program(
    root: Path,
    ticket: Ticket,
    role: Role,
    team: str,
    number: int,
    packed: str,
    *of_task: Any,
) -> Mapping[str, bytes]:
    """Run one program on one task: returns what it made, or why it made nothing.

    ``packed`` is the path of its zip, and ``number`` that of its event. The results do not depend
    on the sandbox.
    """
    folder, task, sandbox = Folder(root), Task(*of_task), sandbox_of(ticket, team)
    edition, track_id = folder.edition(), task.track
    track = edition.track_by_id(track_id)
    contract = contract_for(track, role)
    assert contract is not None  # only programs under a contract come here
    content = folder.at(packed).read_bytes()
    program = unpack_program(contract, content, edition.limits, Faults(packed))
    draws = draws_of(folder, track_id, team, task)
    header, name = track.files.header, made_file(track, role, task, team)
    made = paths.program_output(number, task, name)
    try:
        if role == "release":
            private = folder.private(track, task)
            if isinstance(contract, AnswerContract):
                queries = queries_of_program(folder, track, task)
                result = Made(contract.answer(program, queries, draws=draws, sandbox=sandbox))
                finer = False
            else:
                assert isinstance(contract, ReleaseContract)  # the loader takes no other
                result = contract.release(program, private, draws=draws, sandbox=sandbox)
                finer = contract.is_code  # parts of the judge hide no message
            made_data = round_like(result.data, private) if finer else result.data
            data = release_data(track, made_data, result.origins, private)
            beside = {
                paths.CARD: b"" if result.card is None else result.card.to_bytes(),
                paths.RECIPE_LOG: result.log,
            }
            known = {
                paths.program_output(number, task, file): content
                for file, content in beside.items()
                if content
            }
            return {made: to_bytes(data, Path(name).suffix, header=header), **known}
        assert isinstance(contract, GuessContract)  # the loader takes no other
        question, release = folder.question(track, task), folder.release(track, task).data
        guess = contract.guess(program, question, release, seed=draws.seed, sandbox=sandbox)
        return {made: csv_bytes(guess.table, header=header)}
    except PartError as error:  # the goal asks whose rows these are, and nobody knows
        text = f"{Reason.NOT_VALID.value}\n{error}\n"
        return {paths.program_output(number, task, REASON): text.encode()}
    except ProgramError as error:
        text = f"{error.reason.value}\n{error.details}\n"
        at = partial(paths.program_output, number, task)
        return {at(REASON): text.encode(), at(TRACEBACK): error.traceback}


def draws_of(folder: Folder, track: str, team: str, task: Task) -> Draws:
    """The random numbers of a team's program on a task; the same each time."""
    secrets = folder.secrets()
    seed = int(secrets.seeds(track, "program", team).rng(task.name).integers(2**31))
    seeds = secrets.seeds(track, "recipe", team, task.name)
    return Draws(seed, seeds, secrets.noise_for(track, "recipe", team, task.name))


class RunOutcome(NamedTuple):
    """What a program did on a task: the hash of each of its files, or why it made none."""

    digests: Mapping[str, str] = MappingProxyType({})
    reason: str = ""


def read_outcome(contents: Mapping[str, bytes]) -> RunOutcome:
    """What a program did, from the files that :func:`run_program` returns."""
    for name, content in contents.items():
        if name.endswith(f"/{REASON}"):
            return RunOutcome(reason=content.decode().partition("\n")[0])
    return RunOutcome({Path(name).name: sha256(content) for name, content in contents.items()})


def second_job(
    folder: Folder, track: Track, role: Role, contract: Contract, program: Submitted, task: Task
) -> Job:
    """A second run of a program on one task; it keeps no more than its outcome."""
    first = program_job(folder, track, role, contract, program, task)
    key = fingerprint("again/2", first.key)
    return Job.of(f"program-again/{first.name}", run_again, first.args, key)


def run_again(
    root: Path, ticket: Ticket, role: Role, team: str, number: int, packed: str, *of_task: Any
) -> Mapping[str, bytes]:
    """Run a program that ran before; every call of a sandbox is another machine to it."""
    contents = run_program(root, ticket, role, team, number, packed, *of_task)
    outcome = read_outcome(contents)
    place = paths.program_output(number, Task(*of_task), AGAIN)
    return {place: canonical_json({"digests": dict(outcome.digests), "reason": outcome.reason})}


def second_outcome(folder: Folder, job: Job) -> RunOutcome:
    """What a program did in its second run."""
    (name,) = folder.outputs([job])
    return RunOutcome(**json.loads(folder.at(name).read_bytes()))


def made_files(folder: Folder, program: Submitted) -> dict[str, str]:
    """The hash of each file that a program made for the contest, by name."""
    return {
        name: digest
        for submission in submissions(folder)
        if submission.made_by == program.number
        for name, digest in submission.files.items()
    }


def _submit(folder: Folder, track: Track, role: Role, program: Submitted, now: datetime) -> None:
    """Submit the new results of a program; store why it made nothing, or not everything."""
    done = made_files(folder, program)
    files: dict[str, bytes] = {}
    reasons: list[str] = []
    details: list[str] = []
    for task in program_tasks(folder, track, role, program.team):
        output = partial(paths.program_output, program.number, task)
        if folder.at(output(REASON)).is_file():
            reason, _, detail = folder.at(output(REASON)).read_text().partition("\n")
            reasons.append(f"{task.name}: {reason}\n")
            details.append(f"{task.name}: {detail}")
            continue
        name = made_file(track, role, task, program.team)
        if name not in done:
            beside = [file for file in BESIDE if folder.at(output(file)).is_file()]
            files |= {file: folder.at(output(file)).read_bytes() for file in (name, *beside)}
    if files:
        try:
            check(folder, track, role, program.team, files)
            record_made(folder, track, role, files, program=program, now=now)
        except SubmissionError as error:
            reasons.append(f"{Reason.NOT_VALID}\n")
            details.append(f"{Reason.NOT_VALID}: {error}\n")
    if reasons:
        write_file(folder.at(paths.reason(program.number)), "".join(reasons).encode())
        write_file(folder.at(paths.reason(program.number, CACHE)), "".join(details).encode())


def made_file(track: Track, role: Role, task: Task, team: str) -> str:
    """The name of the file that a program makes for a task."""
    if role == "guess":
        return guess_file(track, task, team)
    return release_file(track, team) if track.files.release else RELEASE
