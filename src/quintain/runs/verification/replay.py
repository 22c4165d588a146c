"""Replay: make a contest again, event by event, from its keys, its rules and the teams' files.

The replay takes place in a folder of its own. Nothing that the organisers made is read, so whatever
they changed shows up as a difference.

The files of every submission are checked again, under the rules of its time. Baselines and programs
have no choice: what they make is a function of the keys and of their data, so it is made again and
compared. A program may make something else here than it did for the organisers: every time, after
a date, or on another machine. Nobody can tell that from a change by the organisers, so what it made
is excepted from the verdict. A slower machine may stop one that was in time elsewhere: a note.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path

from quintain.contests import Edition, Track
from quintain.errors import QuintainError, SubmissionError
from quintain.figures.format import count
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job
from quintain.jobs.progress import track as track_progress
from quintain.jobs.scratch import ScratchFolder
from quintain.journal.events import Event, HandedOver, Prepared, Rules, SecondRun, Submitted
from quintain.programs import Contract, Role
from quintain.programs.choice import Containment
from quintain.programs.failures import SandboxError
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import write
from quintain.runs.folder.record import commit, stage_of
from quintain.runs.folder.rules import committed_rules, write_public_key, write_rules
from quintain.runs.organising.stages import base_jobs, jobs_of
from quintain.runs.score import attack_all, measure_all, plan_attacks, ranking_files, report_file
from quintain.runs.scores.scores import Scores
from quintain.runs.submissions.admission import expect
from quintain.runs.submissions.checking import check, guess_file, release_file, withheld_artefacts
from quintain.runs.submissions.counting import counting_releases, file_of, submissions
from quintain.runs.submissions.own_queries import answers_file, is_asking
from quintain.runs.submissions.submit import examine
from quintain.runs.tasks.baselines import absent_releases, release_job
from quintain.runs.tasks.own_answers import Asking, askings, list_unanswered, run_askings
from quintain.runs.tasks.programs import (
    BESIDE,
    DEPENDS_ON_MACHINE,
    RunOutcome,
    contain,
    contract_for,
    latest_programs,
    made_file,
    made_files,
    program_job,
    program_tasks,
    read_outcome,
)
from quintain.runs.verification.chain import JournalChain
from quintain.runs.verification.committed import compare, difference, one_line


@dataclass(slots=True)
class Replay:
    """A contest that is made again.

    Parameters
    ----------
    folder : the folder that is verified; only its keys, rules, data files and submitted files are
        read.
    copy : the new folder.
    rules : every version of the rules.
    leaves : the files that each stage of the folder commits to.
    changed : where a file differs from what was made again, by its path.
    misplaced : why a file should not be there, or not without a commitment, by its path.
    """

    folder: Folder
    copy: Folder
    rules: Mapping[int, Edition]
    leaves: Mapping[str, set[str]]
    executor: Executor
    rerun: Rerun
    changed: dict[str, str] = field(default_factory=dict)
    misplaced: dict[str, str] = field(default_factory=dict)
    _waiting: list[bytes] = field(default_factory=list)

    def run(self, chain: JournalChain) -> Iterator[str]:
        """Replay every event; returns what is wrong beside single files, in words."""
        resubmit = Resubmit(self.copy, self.executor, self.rerun)
        for event, line in zip(chain.events, chain.lines, strict=True):
            if isinstance(event, Submitted):
                resubmit.look_ahead(event, chain.events)
            if not isinstance(event, Submitted) or resubmit.needs_journal(event):
                self._write_journal()
            yield from (
                f"{paths.JOURNAL}: event {event.number}: {text}"
                for text in self._problems(event, resubmit)
            )
            self._waiting.append(line)
            if not isinstance(event, Submitted):
                self._write_journal()
        self._write_journal()

    def _problems(self, event: Event, resubmit: Resubmit) -> Iterator[str]:
        if isinstance(event, SecondRun):
            self.rerun.doubt(event)
        return resubmit.problems(event) if isinstance(event, Submitted) else self._stage(event)

    def _write_journal(self) -> None:
        """Bring the journal of the copy up to date.

        Not after each submission: every look at a journal that has grown reads it again.
        """
        with self.copy.at(paths.JOURNAL).open("ab") as file:
            file.writelines(line + b"\n" for line in self._waiting)
        self._waiting.clear()

    def _stage(self, event: Event) -> Iterator[str]:
        """Make the files of an event again, and compare them and their root."""
        if isinstance(event, HandedOver):
            yield from self._left_out(event)
        stage, root = stage_of(event) or ("join", "")
        made = set(self._make(event))
        again = commit(self.copy, stage, made) if made else ""
        if self.copy.at(paths.checksums(stage)).is_file():
            made.add(paths.checksums(stage))
        committed = self.leaves.get(stage, set())
        changed = {name: how for name in sorted(made) if (how := self._difference(name))}
        misplaced = dict.fromkeys(committed - made, "nothing in the rules makes this file")
        misplaced |= dict.fromkeys(made - committed, "no commitment covers this file")
        self.changed |= changed
        self.misplaced |= misplaced
        if again != root and not changed and not misplaced:
            yield "its commitment is not to what rules, keys and earlier events give"

    def _difference(self, name: str) -> str:
        path = self.folder.at(name)
        return difference(path, self.copy.at(name).read_bytes()) if path.is_file() else ""

    def _make(self, event: Event) -> list[str]:
        """Make what an event commits to; returns the files."""
        if isinstance(event, Rules):
            write_public_key(self.copy.root, event.key)
            write_rules(self.copy.root, self.rules[event.version], event.version)
            return committed_rules(self.rules[event.version], event.version)
        if isinstance(event, Prepared):
            if event.beacon:
                write(self.copy.root, paths.BEACON, event.beacon.encode())
            self._run(base_jobs(self.copy, self.copy.edition().track_by_id(event.track)))
        jobs = list(jobs_of(self.copy, event, self.copy.state()))
        self._run(jobs)
        return self.copy.outputs(jobs)

    def _run(self, jobs: Sequence[Job]) -> None:
        self.copy.run(jobs, executor=self.executor, label="samples and releases again")

    def _left_out(self, event: HandedOver) -> Iterator[str]:
        """The releases that were or should be in the journal, but were not handed over."""
        track = self.copy.edition().track_by_id(event.track)
        self.rerun.look_for_more(track, "release")
        yield from self._find_absent_releases(track, event)
        counted = counting_releases(self.copy, track, event.size)
        for release in counting_releases(self.copy, track, event.number - 1):
            if release not in counted:
                yield f"the last release of {release.id}, from before the hand-over, is left out"

    def _find_absent_releases(self, track: Track, event: HandedOver) -> Iterator[str]:
        """The players of a rehearsal whose release is missing although they do not refuse."""
        jobs = absent_releases(self.copy, track, before=event.number)
        self._run(jobs)
        for job in jobs:
            team = str(job.args[1])
            if self.copy.at(paths.baseline_release(track.id, team)[0]).is_file():
                yield f"the baseline {team} makes a release, but the journal does not have it"


@contextmanager
def new_copy(folder: Folder, rules: Mapping[int, Edition]) -> Iterator[Folder]:
    """A folder with the first rules, the keys, data files and submitted files, and no event yet."""
    with ScratchFolder() as place:
        root = Path(place)
        write(root, paths.SEEDS, folder.committed_secrets().to_bytes())
        write_rules(root, rules[1])
        for given in (paths.SUBMISSIONS, paths.OWN_DATA):
            source = folder.at(given).resolve()
            if source.is_dir():
                (root / given).symlink_to(source)
        yield Folder(root)


# --- submissions ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Resubmit:
    """The submissions of a contest that is made again in the folder ``copy``."""

    copy: Folder
    executor: Executor
    rerun: Rerun
    _checked: dict[int, str | None] = field(default_factory=dict)

    def look_ahead(self, event: Submitted, events: Sequence[Event]) -> None:
        """Check a submission, and all that follow it up to the next event of another kind.

        The rules and the tasks are the same for all of them, so workers check them in any order.
        """
        if event.number in self._checked:
            return
        following = takewhile(_is_submission, events[event.number - 1 :])
        several = [event for event in following if isinstance(event, Submitted)]
        work = partial(_check_again, self.copy.root)
        checked = self.executor.run(work, several, kind=_kind_of_submission)
        self._checked = dict(track_progress(checked, "submissions again", len(several)))

    def needs_journal(self, event: Submitted) -> bool:
        """Whether the journal of the copy must be complete up to this submission."""
        track = self.copy.edition().track_by_id(event.track)
        asking = is_asking(track, event)  # what was asked before counts against the budget
        return event.made_by is not None or asking or self._is_built_in(event)

    def problems(self, event: Submitted) -> Iterator[str]:
        """Why the rules refuse the files of a submission, or how they differ when made again."""
        refusal = self._checked[event.number]
        if refusal is None:
            check_submission(self.copy, event)  # what breaks a worker breaks off the replay
        if refusal:
            yield f"the rules of its time refuse it: {refusal}"
            return
        if event.kind == "answers":
            yield from self.rerun.compare_answers(event)
        elif event.made_by is not None:
            yield from self.rerun.compare(event)
        elif self._is_built_in(event):
            yield from self._describe_changes(event)

    def _is_built_in(self, event: Submitted) -> bool:
        roster = self.copy.state().roster
        return event.team in roster.ids and roster.entrant(event.team).built_in

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


def _is_submission(event: Event) -> bool:
    return isinstance(event, Submitted)


def _kind_of_submission(event: Submitted) -> str:
    return f"{event.track} {event.phase} {event.kind}"


def _check_again(root: Path, event: Submitted) -> tuple[int, str | None]:
    """The number of a submission, and why the rules refuse it; None if the check itself fails."""
    try:
        check_submission(Folder(root), event)
    except QuintainError as problem:
        return event.number, one_line(problem)
    except MemoryError:
        raise
    except Exception:  # the error itself may not survive the way to another process
        return event.number, None
    return event.number, ""


def check_submission(folder: Folder, event: Submitted) -> None:
    """Raise what the judge would say about the files of a submission."""
    if event.kind == "answers":  # they are made again instead
        return
    edition, state = folder.edition(), folder.state()
    track = edition.track_by_id(event.track)
    never = set(withheld_artefacts(edition, event))
    absent = {name for name in never if not folder.at(file_of(event, name)).is_file()}
    files = {
        name: folder.at(file_of(event, name)).read_bytes()
        for name in event.files
        if name not in absent
    }
    if event.made_by is not None:
        check(folder, track, event.kind, event.team, files)
        return
    kind = next(phase.submit for phase in track.phase if phase.id == event.phase)
    expected = expect(edition, state, (), event.team, event.moment, event.track, kind)
    examined = examine(folder, expected, files, measure=False, sample=event.sample, absent=absent)
    examined.raise_if_faulty()


# --- programs of teams ----------------------------------------------------------------------------


@dataclass(slots=True)
class Rerun:
    """The programs of a contest that is made again in the folder ``copy``.

    Parameters
    ----------
    folder : the folder that is verified.
    notes : what could not be verified, and why.
    excepted : for each team what its programs make otherwise here, in words.
    """

    folder: Folder
    copy: Folder
    executor: Executor
    containment: Containment
    notes: list[str] = field(default_factory=list)
    excepted: dict[str, list[str]] = field(default_factory=dict)
    _confirmed: set[int] = field(default_factory=set)

    def compare(self, event: Submitted) -> Iterator[str]:
        """Except the files of an event that its program does not make; no program makes others."""
        program = next(
            submission
            for submission in submissions(self.copy)
            if submission.number == event.made_by
        )
        track = self.copy.edition().track_by_id(event.track)
        role: Role = "release" if event.kind == "release" else "guess"
        contract = contract_for(track, role)
        assert contract is not None  # the program was accepted under it
        jobs = self._jobs(track, role, contract, program)
        beside = () if contract.is_code else BESIDE
        unknown = set(event.files) - {*jobs, *beside}
        yield from (f"{name} answers no task" for name in sorted(unknown))
        wanted = {name: job for name, job in jobs.items() if name in event.files}
        outcomes = self._run(wanted, contract)
        made = {file: digest for run in outcomes.values() for file, digest in run.digests.items()}
        if made == event.files:
            self._confirmed.add(program.number)
        for name, outcome in outcomes.items():
            other = [file for file in (name, *beside) if made.get(file) != event.files.get(file)]
            if not other or not self._is_certain(program, contract, jobs[name], outcome):
                continue
            what = f"nothing: {outcome.reason}" if outcome.reason else "another"
            if contract.is_code:
                self._except(program, f"did not make {name} here; it makes {what}")
            else:  # only parts of the organisers ran, so nobody else can have changed it
                yield from (
                    f"{file} is not what the recipe makes; it makes {what}" for file in other
                )

    def compare_answers(self, event: Submitted) -> Iterator[str]:
        """The answers to a team's queries that no model gives; of programs they are excepted."""
        track = self.copy.edition().track_by_id(event.track)
        queries = next(s for s in submissions(self.copy) if s.number == event.made_by)
        several = _by_file(askings(self.copy, track, queries))
        unknown = set(event.files) - set(several)
        yield from (f"{name} answers no queries" for name in sorted(unknown))
        for name, outcome in self._ask(several).items():
            program = several[name].program
            if outcome.digests.get(name) == event.files.get(name):
                continue
            if outcome.reason in DEPENDS_ON_MACHINE:
                self._note(f"{name} was not verified: on this machine, {outcome.reason}")
            elif program is not None:
                self._except(program, f"does not give {name} here")
            elif name in event.files:
                yield f"{name} is not what the model answers"
            else:
                yield f"{name} is left out"

    def look_for_answers(self, track: Track) -> Iterator[str]:
        """The queries that the organisers never answered, although the models do so here."""
        for event in list_unanswered(self.copy, track):
            several = _by_file(askings(self.copy, track, event))
            for name, outcome in self._ask(several).items():
                program = several[name].program
                if outcome.digests and program is not None:
                    self._except(program, f"gives {name} here, but the journal does not have it")
                elif outcome.digests:
                    yield f"event {event.number}: the journal does not have {name}"

    def _ask(self, several: Mapping[str, Asking]) -> dict[str, RunOutcome]:
        """What models answer; nothing if this machine may not run the programs behind them."""
        every = list(several.values())
        try:
            run_askings(self.copy, every, executor=self.executor, containment=self.containment)
        except SandboxError as problem:
            self._note(f"programs were not asked again: {one_line(problem)}")
            return {}
        return {name: self._outcome(asking.job(self.copy)) for name, asking in several.items()}

    def doubt(self, event: SecondRun) -> None:
        """Note a second run that made something else, if the program makes the same here."""
        if event.second != event.first and event.program in self._confirmed:
            self._note(
                f"the program of team {event.team} (event {event.program}) makes here what it made "
                "at first; the organisers say that its second run made something else"
            )

    def look_for_more(self, track: Track, role: Role) -> None:
        """Except what a team's last program makes here, but the journal does not have."""
        contract = contract_for(track, role)
        if contract is None:
            return
        for program in latest_programs(self.copy, track, role):
            done = made_files(self.copy, program)
            jobs = self._jobs(track, role, contract, program)
            missing = {name: job for name, job in jobs.items() if name not in done}
            outcomes = self._run(missing, contract)
            made = {name: outcome for name, outcome in outcomes.items() if outcome.digests}
            if self._is_accepted(track, role, program.team, {n: jobs[n] for n in made}):
                self._except_missing(program, contract, jobs, made)

    def _jobs(
        self, track: Track, role: Role, contract: Contract, program: Submitted
    ) -> dict[str, Job]:
        """The runs of a program, by the name of the main file that each makes."""
        return {
            made_file(track, role, task, program.team): program_job(
                self.copy, track, role, contract, program, task
            )
            for task in program_tasks(self.copy, track, role, program.team)
        }

    def _run(self, jobs: Mapping[str, Job], contract: Contract) -> dict[str, RunOutcome]:
        """What programs do; nothing if this machine may not run them."""
        try:
            runs = contain(list(jobs.values()), contract, self.containment)
        except SandboxError as problem:
            self._note(f"programs were not run again: {one_line(problem)}")
            return {}
        self.copy.run(runs, executor=self.executor, label="programs again")
        return {name: self._outcome(job) for name, job in jobs.items()}

    def _outcome(self, job: Job) -> RunOutcome:
        names = self.copy.outputs([job])
        return read_outcome({name: self.copy.at(name).read_bytes() for name in names})

    def _is_certain(
        self, program: Submitted, contract: Contract, job: Job, outcome: RunOutcome
    ) -> bool:
        """Whether another run does the same, on any machine; if not, a note says so."""
        who = f"the program of team {program.team} (event {program.number})"
        if outcome.reason in DEPENDS_ON_MACHINE:
            self._note(f"{who} was not verified: on this machine, {outcome.reason}")
            return False
        (again,) = contain([job], contract, self.containment)
        if read_outcome(again.run(self.copy.root)) != outcome:
            self._except(program, "makes something else every time")
            return False
        return True

    def _is_accepted(self, track: Track, role: Role, team: str, jobs: Mapping[str, Job]) -> bool:
        """Whether the rules accept what a program made; if not, nobody had to record it."""
        outputs = self.copy.outputs(list(jobs.values()))
        files = {Path(path).name: self.copy.at(path).read_bytes() for path in outputs}
        try:
            check(self.copy, track, role, team, files)
        except SubmissionError:
            return False
        return bool(files)

    def _except_missing(
        self,
        program: Submitted,
        contract: Contract,
        jobs: Mapping[str, Job],
        made: Mapping[str, RunOutcome],
    ) -> None:
        reasons = self.folder.at(paths.reason(program.number))
        claimed = reasons.read_text(errors="replace") if reasons.is_file() else ""
        who = f"the program of team {program.team} (event {program.number})"
        if any(reason in claimed for reason in DEPENDS_ON_MACHINE):
            self._note(
                f"{who} makes more here than for the organisers: {' '.join(claimed.split())}"
            )
            return
        for name, outcome in made.items():
            if self._is_certain(program, contract, jobs[name], outcome):
                self._except(program, f"makes {name} here, but the journal does not have it")

    def _except(self, program: Submitted, what: str) -> None:
        sentence = f"the program of team {program.team} (event {program.number}) {what}"
        sentences = self.excepted.setdefault(program.team, [])
        if sentence not in sentences:
            sentences.append(sentence)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


# --- results: score again, with an empty cache ----------------------------------------------------


def check_results(folder: Folder, copy: Folder, executor: Executor) -> Iterator[str]:
    """Every result file of a folder that differs from what scoring its copy gives."""
    submitted = submissions(copy)
    outdated = _describe_old_results(folder, len(submitted))
    if outdated:
        yield outdated
        return
    attack_all(copy, executor=executor)
    scores = Scores(copy, measure_all(copy, submitted, executor=executor).surveys)
    expected = ranking_files(copy, submitted, scores)
    if not folder.at(paths.COLLUSION).is_file():  # organisers keep it to themselves
        expected.pop(paths.COLLUSION, None)
    if folder.at(paths.REPORT).is_file():  # the organisers may leave out the page
        expected |= report_file(copy, submitted, scores)
    yield from compare(folder, expected)


def _describe_old_results(folder: Folder, submitted: int) -> str:
    """Why there is nothing to compare: no scores, or submissions after the last scoring."""
    path = folder.at(paths.STANDINGS)
    if not any(folder.at(name).is_file() for name in (paths.STANDINGS, paths.CELLS, paths.MATRIX)):
        return f"{paths.STANDINGS}: there are no scores yet; run quintain score first"
    try:
        counted = json.loads(path.read_bytes())["submissions"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""  # the comparison says what is wrong with the file
    if not isinstance(counted, int) or counted >= submitted:
        return ""
    of = count(submitted, "submission")
    return f"{paths.STANDINGS}: counts only {counted} of {of}; run quintain score again"


@contextmanager
def same_files(folder: Folder) -> Iterator[Folder]:
    """The same folder with an empty cache, so that no stored result is used."""
    with ScratchFolder() as name:
        for part in paths.SCORED:
            source = folder.at(part).resolve()
            if source.exists():
                (Path(name) / part).symlink_to(source)
        yield Folder(name)


def _by_file(several: Iterable[Asking]) -> dict[str, Asking]:
    return {answers_file(asking.release): asking for asking in several}
