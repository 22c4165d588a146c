"""Resubmit: check the files of every submission again, under the rules of its time.

Baselines and programs have no choice: what they make is a function of the keys and of their data.
So their files are made again and compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.errors import QuintainError, SubmissionError
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job
from quintain.journal.events import Submitted
from quintain.programs import Role
from quintain.programs.choice import Containment
from quintain.programs.failures import Reason, SandboxError
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.score import plan_attacks
from quintain.runs.submissions.admission import expect
from quintain.runs.submissions.checking import check, guess_file, release_file, withheld_artefacts
from quintain.runs.submissions.counting import file_of, submissions
from quintain.runs.submissions.submit import examine
from quintain.runs.tasks.baselines import release_job
from quintain.runs.tasks.programs import (
    contain,
    contract_for,
    latest_programs,
    made_file,
    program_job,
    program_tasks,
)
from quintain.runs.verification.differences import one_line

# Rerun: let the teams' programs run again, and compare what they make with the journal.
#
# A program that makes something else every time cannot be verified, and a slower machine may stop
# one that was in time elsewhere. Both are notes, not problems.


_DEPENDS_ON_MACHINE = (Reason.OUT_OF_TIME.value, Reason.OUT_OF_MEMORY.value)


class RerunOutcome(NamedTuple):
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
        program = next(
            submission
            for submission in submissions(self.copy)
            if submission.number == event.made_by
        )
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
            own = [
                submission
                for submission in submissions(self.copy)
                if submission.made_by == program.number
            ]
            done = {name for submission in own for name in submission.files}
            jobs = self._jobs(track, role, program)
            outcomes = self._run({name: job for name, job in jobs.items() if name not in done})
            made = {name: outcome for name, outcome in outcomes.items() if outcome.digest}
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

    def _run(self, jobs: Mapping[str, Job]) -> dict[str, RerunOutcome]:
        """What programs do; nothing if this machine may not run them."""
        try:
            runs = contain(list(jobs.values()), self.containment)
        except SandboxError as problem:
            self._note(f"programs were not run again: {one_line(problem)}")
            return {}
        self.copy.run(runs, executor=self.executor, label="programs again")
        return {name: self._outcome(job) for name, job in jobs.items()}

    def _outcome(self, job: Job) -> RerunOutcome:
        names = self.copy.outputs([job])
        return _outcome({name: self.copy.at(name).read_bytes() for name in names})

    def _is_certain(self, program: Submitted, job: Job, outcome: RerunOutcome) -> bool:
        """Whether another run does the same, on any machine; if not, a note says so."""
        who = f"the program of team {program.team} (event {program.number})"
        if outcome.reason in _DEPENDS_ON_MACHINE:
            self._note(f"{who} was not verified: on this machine, {outcome.reason}")
            return False
        (again,) = contain([job], self.containment)
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
        self, program: Submitted, jobs: Mapping[str, Job], made: Mapping[str, RerunOutcome]
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


def _outcome(contents: Mapping[str, bytes]) -> RerunOutcome:
    for name, content in contents.items():
        if name.endswith(f"/{paths.REASON}"):
            return RerunOutcome(reason=content.decode().partition("\n")[0])
    (content,) = contents.values()
    return RerunOutcome(sha256(content))


@dataclass(slots=True)
class Resubmit:
    """The submissions of a contest that is made again in the folder ``copy``."""

    copy: Folder
    executor: Executor
    rerun: Rerun

    def needs_journal(self, event: Submitted) -> bool:
        """Whether the journal of the copy must be complete up to this submission."""
        return event.made_by is not None or self._is_built_in(event)

    def problems(self, event: Submitted) -> Iterator[str]:
        """Why the rules refuse the files of a submission, or how they differ when made again."""
        try:
            self._check(event)
        except QuintainError as problem:
            yield f"the rules of its time refuse it: {one_line(problem)}"
            return
        if event.made_by is not None:
            yield from self.rerun.changed(event)
        elif self._is_built_in(event):
            yield from self._describe_changes(event)

    def _is_built_in(self, event: Submitted) -> bool:
        roster = self.copy.state().roster
        return event.team in roster.ids and roster.entrant(event.team).built_in

    def _check(self, event: Submitted) -> None:
        """Raise what the judge would say about the files."""
        edition, state = self.copy.edition(), self.copy.state()
        track = edition.track_by_id(event.track)
        never = set(withheld_artefacts(edition, event))
        absent = {name for name in never if not self.copy.at(file_of(event, name)).is_file()}
        files = {
            name: self.copy.at(file_of(event, name)).read_bytes()
            for name in event.files
            if name not in absent
        }
        if event.made_by is not None:
            check(self.copy, track, event.kind, event.team, files)
            return
        kind = next(phase.submit for phase in track.phase if phase.id == event.phase)
        expected = expect(edition, state, (), event.team, event.moment, event.track, kind)
        examined = examine(
            self.copy, expected, files, measure=False, sample=event.sample, absent=absent
        )
        examined.raise_if_faulty()

    def _describe_changes(self, event: Submitted) -> Iterator[str]:
        """The files of a baseline that it would not have submitted."""
        track = self.copy.edition().track_by_id(event.track)
        if event.kind == "release":
            jobs, made = self._release(track, event.team)
        else:
            jobs, made = self._guesses(track, event.team)
        self.copy.run(jobs, executor=self.executor, label="baselines again")
        for name, digest in event.files.items():
            if name not in made or not self._is_made(made[name], digest):
                yield f"{name} is not what the baseline {event.team} makes"

    def _is_made(self, name: str, digest: str) -> bool:
        """Whether a baseline made a file with this content; it makes none if it refuses."""
        return self.copy.at(name).is_file() and self.copy.digest(name) == digest

    def _release(self, track: Track, team: str) -> tuple[list[Job], Mapping[str, str]]:
        data, card = paths.baseline_release(track.id, team)
        made = {release_file(track, team): data, paths.CARD: card}
        return [release_job(self.copy, track, team)], made

    def _guesses(self, track: Track, team: str) -> tuple[list[Job], Mapping[str, str]]:
        tasks = self.copy.read(track).tasks_for(team)
        made = {guess_file(track, task, team): paths.baseline_guess(team, task) for task in tasks}
        every = plan_attacks(self.copy, ())
        return [job for job in every if job.args[:2] == (team, track.id)], made
