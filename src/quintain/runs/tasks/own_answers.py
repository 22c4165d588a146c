"""Own answers: what models say to the queries that attackers chose.

Queries are part of a submission, in the journal. So are the answers: their event names that of the
queries. A model with weights is asked directly. A program is called once more, in the sandbox, with
the same seed, and it is asked about everybody again: the queries lie among all records of its first
call, in an order that a key decides, so it cannot tell them from others. Where its answers about
the others are not those of its first call, attackers get none, and the organisers know the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quintain.contests import Track
from quintain.data import Table, TrainedModel, as_model
from quintain.data.files import to_bytes
from quintain.data.models import distinct_records
from quintain.errors import Faults
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.files import write_file
from quintain.jobs.job import Job, fingerprint
from quintain.journal.events import Submitted
from quintain.kernels.classifiers import answers_about, confidences
from quintain.programs import AnswerContract
from quintain.programs.choice import PARTS, STRANGERS, Containment, Ticket, sandbox_of
from quintain.programs.contract import Queries
from quintain.programs.failures import ProgramError, Reason
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CACHE, REASON, TRACEBACK, Task
from quintain.runs.submissions.checking import unpack_program
from quintain.runs.submissions.counting import (
    counting_releases,
    file_of,
    record_made,
    submissions,
)
from quintain.runs.submissions.own_queries import (
    answers_file,
    is_asking,
    queries_file,
    query_files,
    read_queries,
)
from quintain.runs.tasks.programs import contract_for, draws_of
from quintain.runs.tasks.queries import queries_of_program

_SAME = 0.01
"""Shares that differ by less are the same: the last digits depend on how many are computed."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One model that a team asks.

    Parameters
    ----------
    event : the submission with the queries.
    release : the release that is asked.
    program : the program behind it; None if the judge has its weights.
    """

    event: Submitted
    release: Task
    program: Submitted | None

    def job(self, folder: Folder) -> Job:
        """The queries as a job; :meth:`contain` gives it a sandbox."""
        name, program = queries_file(self.release), self.program
        full = folder.digest(paths.full_release(self.release))
        made_by = "" if program is None else program.hash
        key = fingerprint("queries", self.event.hash, name, full, made_by, folder.secrets().draws)
        packed = "" if program is None else file_of(program, *program.files)
        owner = "" if program is None else program.team
        args = (self.event.number, file_of(self.event, name), owner, packed, *self.release.args)
        title = f"queries/{self.release.track}/{self.event.number}/{self.release.release_name}"
        return Job.of(title, ask_model, args, key)

    def contain(self, job: Job, containment: Containment) -> Job:
        """The job in a sandbox, if code of a team runs; raises if no machine may run it."""
        ticket = (PARTS if self.program is None else containment).ticket()
        return replace(job, args=(ticket, *job.args))

    def output(self, name: str) -> str:
        """A file that the job writes."""
        return paths.program_output(self.event.number, self.release, name)


def askings(folder: Folder, track: Track, event: Submitted) -> list[Asking]:
    """The models that a submission asks; none if it has no queries."""
    known = query_files(folder.read(track), event.team)
    releases = {name: known[name] for name in event.files if name in known}
    makers = _programs(folder, track) if releases else {}
    return [Asking(event, release, makers.get(release.entry)) for release in releases.values()]


def _programs(folder: Folder, track: Track) -> dict[str, Submitted]:
    """The program behind each entry that one answers for."""
    handed_over = folder.state().handed_over.get(track.id)
    if handed_over is None:
        return {}
    every = {event.number: event for event in submissions(folder)}
    made = {
        file_of(event, name): every[event.made_by]
        for event in every.values()
        if event.kind == "release" and event.made_by is not None
        for name in event.files
    }
    counted = counting_releases(folder, track, handed_over.size)
    return {release.id: made[release.data] for release in counted if release.data in made}


def list_unanswered(folder: Folder, track: Track) -> Iterator[Submitted]:
    """The submissions of a track with queries to which the journal has no answers."""
    submitted = submissions(folder)
    answered = {event.made_by for event in submitted if event.kind == "answers"}
    for event in submitted:
        if event.number not in answered and is_asking(track, event):
            yield event


def answer_queries(
    folder: Folder,
    *,
    now: datetime,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> None:
    """Answer all new queries, and record the answers; none after the end of the contest."""
    if folder.state().frozen is not None:
        return
    for track in folder.edition().track:
        waiting = [
            (event, askings(folder, track, event)) for event in list_unanswered(folder, track)
        ]
        run_askings(
            folder,
            [asking for _, several in waiting for asking in several],
            executor=executor,
            containment=containment,
        )
        for event, several in waiting:
            _record(folder, track, event, several, now)


def run_askings(
    folder: Folder, several: Sequence[Asking], *, executor: Executor, containment: Containment
) -> None:
    """Ask the models that were not asked yet; where nothing is new, no sandbox is needed."""
    new = [(asking, job) for asking in several if not folder.is_done(job := asking.job(folder))]
    jobs = [asking.contain(job, containment) for asking, job in new]
    folder.run(jobs, executor=executor, label="queries")


def _record(
    folder: Folder, track: Track, event: Submitted, several: Sequence[Asking], now: datetime
) -> None:
    files: dict[str, bytes] = {}
    reasons: list[str] = []
    details: list[str] = []
    for asking in several:
        failed = folder.at(asking.output(REASON))
        if failed.is_file():
            reason, _, detail = failed.read_text().partition("\n")
            reasons.append(f"{asking.release.release_name}: {reason}\n")
            details.append(f"{asking.release.release_name}: {detail}")
        else:
            name = answers_file(asking.release)
            files[name] = folder.at(asking.output(name)).read_bytes()
    if reasons:
        write_file(folder.at(paths.reason(event.number)), "".join(reasons).encode())
        write_file(folder.at(paths.reason(event.number, CACHE)), "".join(details).encode())
    if files:
        record_made(folder, track, "answers", files, program=event, now=now)


def ask_model(
    root: Path,
    ticket: Ticket,
    number: int,
    place: str,
    owner: str,
    packed: str,
    *of_task: Any,
) -> Mapping[str, bytes]:
    """Ask one model: returns its answers, or why it gave none.

    Parameters
    ----------
    number : that of the submission with the queries.
    place : the path of the queries.
    owner, packed : the team and the path of the program that answers; empty if none does.
    """
    folder, release = Folder(root), Task(*of_task)
    track = folder.edition().track_by_id(release.track)
    assert track.model is not None  # only models are asked
    form = track.model.form(folder.private_schema(track))
    queries = distinct_records(form, read_queries(folder, track, folder.at(place)))
    at = partial(paths.program_output, number, release)
    model = as_model(folder.full_release(track, release))
    try:
        if packed:
            model = _ask_program(
                folder, track, release, model, queries, ticket, number, owner, packed
            )
        rows = len(folder.private(track, release))
        answers = answers_about(model, queries, trained_on=rows)
    except ProgramError as error:
        text = f"{error.reason.value}\n{error.details}\n"
        return {at(REASON): text.encode(), at(TRACEBACK): error.traceback}
    name = answers_file(release)
    return {at(name): to_bytes(answers, Path(name).suffix)}


def _ask_program(
    folder: Folder,
    track: Track,
    release: Task,
    first: TrainedModel,
    queries: Table,
    ticket: Ticket,
    number: int,
    owner: str,
    packed: str,
) -> TrainedModel:
    """The answers of a program about everybody and the queries; see above."""
    contract, limits = contract_for(track, "release"), folder.edition().limits
    assert isinstance(contract, AnswerContract)  # only such programs stand behind a model
    program = unpack_program(contract, folder.at(packed).read_bytes(), limits, Faults(packed))
    made_for = Task(track.id, owner)
    known = queries_of_program(folder, track, made_for)
    others = known.records.select(queries.schema.names)
    every = distinct_records(known.form, others.concat(queries))
    rng = folder.secrets().seeds(track.id, "queries", *release.stream).rng("own", number)
    mixed = Queries(known.form, every.take(rng.permutation(len(every))))
    draws, sandbox = draws_of(folder, track.id, owner, made_for), sandbox_of(ticket, owner)
    again = contract.answer(program, mixed, draws=draws, sandbox=sandbox)
    differ = np.abs(confidences(again, others) - confidences(first, others)).max(axis=1) > _SAME
    if differ.any():
        details = f"{int(differ.sum())} of {len(differ)} answers are not those of its first call"
        raise ProgramError(Reason.OTHERWISE, details)
    return again
