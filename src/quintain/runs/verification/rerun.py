"""Rerun: let the teams' programs run again, and compare what they make with the journal.

A program that makes something else every time cannot be verified, and a slower machine may stop one
that was in time elsewhere. Both are notes, not problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.errors import SubmissionError
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job
from quintain.journal.events import Submitted
from quintain.programs import Role
from quintain.programs.choice import Containment
from quintain.programs.failures import Reason, SandboxError
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.checking import check
from quintain.runs.submissions.submitted import submissions
from quintain.runs.tasks.programs import (
    contained,
    contract_for,
    latest_programs,
    made_file,
    program_job,
    program_tasks,
)
from quintain.runs.verification.differences import one_line

_DEPENDS_ON_MACHINE = (Reason.OUT_OF_TIME.value, Reason.OUT_OF_MEMORY.value)


class Outcome(NamedTuple):
    """What a program did on a task: the hash of its file, or why it made none."""

    digest: str = ""
    reason: str = ""


@dataclass(slots=True)
class Rerun:
    """The programs of a contest that is made again in the folder ``copy``.

    Parameters
    ----------
    folder : the folder that is verified.
    notes : what could not be verified, and why.
    """

    folder: Folder
    copy: Folder
    executor: Executor
    containment: Containment
    notes: list[str] = field(default_factory=list)

    def changed(self, event: Submitted) -> Iterator[str]:
        """The files of an event that its program does not make."""
        program = next(one for one in submissions(self.copy) if one.number == event.made_by)
        track = self.copy.edition().track_by_id(event.track)
        jobs = self._jobs(track, "release" if event.kind == "release" else "guess", program)
        yield from (f"{name} answers no task" for name in sorted(set(event.files) - set(jobs)))
        wanted = {name: job for name, job in jobs.items() if name in event.files}
        for name, outcome in self._run(wanted).items():
            if outcome.digest != event.files[name] and self._is_certain(
                program, jobs[name], outcome
            ):
                made = (
                    f"it makes nothing: {outcome.reason}" if outcome.reason else "it makes another"
                )
                yield f"{name} is not what the program of team {program.team} makes; {made}"

    def left_out(self, track: Track, role: Role) -> Iterator[str]:
        """The files that a team's last program makes, but that the journal does not have."""
        programs = latest_programs(self.copy, track, role) if contract_for(track, role) else []
        for program in programs:
            own = [one for one in submissions(self.copy) if one.made_by == program.number]
            done = {name for one in own for name in one.files}
            jobs = self._jobs(track, role, program)
            outcomes = self._run({name: job for name, job in jobs.items() if name not in done})
            made = {name: one for name, one in outcomes.items() if one.digest}
            if self._is_accepted(track, role, program.team, {n: jobs[n] for n in made}):
                yield from self._missing(program, jobs, made)

    def _jobs(self, track: Track, role: Role, program: Submitted) -> dict[str, Job]:
        """The runs of a program, by the name of the file that each makes."""
        contract = contract_for(track, role)
        assert contract is not None  # the program was accepted under it
        return {
            made_file(track, role, task, program.team): program_job(
                self.copy, track, role, contract, program, task
            )
            for task in program_tasks(self.copy, track, role, program.team)
        }

    def _run(self, jobs: Mapping[str, Job]) -> dict[str, Outcome]:
        """What programs do; nothing if this machine may not run them."""
        try:
            runs = contained(list(jobs.values()), self.containment)
        except SandboxError as problem:
            self._note(f"programs were not run again: {one_line(problem)}")
            return {}
        self.copy.run(runs, executor=self.executor, label="programs again")
        return {name: self._outcome(job) for name, job in jobs.items()}

    def _outcome(self, job: Job) -> Outcome:
        names = self.copy.outputs([job])
        return _outcome({name: self.copy.at(name).read_bytes() for name in names})

    def _is_certain(self, program: Submitted, job: Job, outcome: Outcome) -> bool:
        """Whether another run does the same, on any machine; if not, a note says so."""
        who = f"the program of team {program.team} (event {program.number})"
        if outcome.reason in _DEPENDS_ON_MACHINE:
            self._note(f"{who} was not verified: on this machine, {outcome.reason}")
            return False
        (again,) = contained([job], self.containment)
        if _outcome(again.run(self.copy.root)) != outcome:
            self._note(f"{who} is not deterministic: what it makes cannot be verified")
            return False
        return True

    def _is_accepted(self, track: Track, role: Role, team: str, jobs: Mapping[str, Job]) -> bool:
        """Whether the rules accept what a program made; if not, nobody had to record it."""
        outputs = {name: self.copy.outputs([job])[0] for name, job in jobs.items()}
        files = {name: self.copy.at(path).read_bytes() for name, path in outputs.items()}
        try:
            check(self.copy, track, role, team, files)
        except SubmissionError:
            return False
        return bool(files)

    def _missing(
        self, program: Submitted, jobs: Mapping[str, Job], made: Mapping[str, Outcome]
    ) -> Iterator[str]:
        reasons = self.folder.at(paths.reason(program.number))
        claimed = reasons.read_text(errors="replace") if reasons.is_file() else ""
        who = f"the program of team {program.team} (event {program.number})"
        if any(reason in claimed for reason in _DEPENDS_ON_MACHINE):
            self._note(
                f"{who} makes more here than for the organisers: {' '.join(claimed.split())}"
            )
            return
        for name, outcome in made.items():
            if self._is_certain(program, jobs[name], outcome):
                yield f"{who} makes {name}, but the journal does not have it"

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _outcome(contents: Mapping[str, bytes]) -> Outcome:
    for name, content in contents.items():
        if name.endswith(f"/{paths.REASON}"):
            return Outcome(reason=content.decode().partition("\n")[0])
    (content,) = contents.values()
    return Outcome(sha256(content))
