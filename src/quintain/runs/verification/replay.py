"""Replay: make a contest again, event by event, from its keys, its rules and the teams' files.

The replay takes place in a folder of its own. Nothing that the organisers made is read, so whatever
they changed shows up as a difference.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from quintain.contests import Edition, Track
from quintain.figures.format import count
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job
from quintain.journal.events import Event, HandedOver, Prepared, Rules, Submitted
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import write
from quintain.runs.folder.record import commit, stage_of
from quintain.runs.folder.rules import committed_rules, write_public_key, write_rules
from quintain.runs.organising.stages import base_jobs, jobs_of
from quintain.runs.score import attack_all, measure_all, ranking_files, report_file
from quintain.runs.scores.scores import Scores
from quintain.runs.submissions.counting import counting_releases, submissions
from quintain.runs.tasks.baselines import absent_releases
from quintain.runs.verification.chain import JournalChain
from quintain.runs.verification.differences import compare, difference
from quintain.runs.verification.resubmit import Rerun, Resubmit

# Results: score again, with an empty cache, and compare every result file.


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
    with tempfile.TemporaryDirectory(prefix="quintain-verify-") as name:
        for part in paths.SCORED:
            source = folder.at(part).resolve()
            if source.exists():
                (Path(name) / part).symlink_to(source)
        yield Folder(name)


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
        yield from self.rerun.left_out(track, "release")
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
    with tempfile.TemporaryDirectory(prefix="quintain-verify-") as place:
        root = Path(place)
        write(root, paths.SEEDS, folder.committed_secrets().to_bytes())
        write_rules(root, rules[1])
        for given in (paths.SUBMISSIONS, paths.OWN_DATA):
            source = folder.at(given).resolve()
            if source.is_dir():
                (root / given).symlink_to(source)
        yield Folder(root)
