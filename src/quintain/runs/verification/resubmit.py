"""Resubmit: check the files of every submission again, under the rules of its time.

Baselines and programs have no choice: what they make is a function of the keys and of their data.
So their files are made again and compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from quintain.contests import Track
from quintain.errors import QuintainError
from quintain.jobs.executor import Executor
from quintain.jobs.job import Job
from quintain.journal.events import Submitted
from quintain.runs.folder import cached, paths
from quintain.runs.folder.folder import Folder
from quintain.runs.plan import plan_attacks
from quintain.runs.submissions.admission import expect
from quintain.runs.submissions.artefacts import withheld_artefacts
from quintain.runs.submissions.checking import check, guess_file, release_file
from quintain.runs.submissions.examination import examine
from quintain.runs.submissions.submitted import file_of
from quintain.runs.tasks.baselines import release_job
from quintain.runs.verification.differences import one_line
from quintain.runs.verification.rerun import Rerun


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
            yield from self._changed(event)

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

    def _changed(self, event: Submitted) -> Iterator[str]:
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
        data, card = cached.baseline_release(track.id, team)
        made = {release_file(track, team): data, paths.CARD: card}
        return [release_job(self.copy, track, team)], made

    def _guesses(self, track: Track, team: str) -> tuple[list[Job], Mapping[str, str]]:
        tasks = self.copy.read(track).tasks_for(team)
        made = {guess_file(track, task, team): cached.baseline_guess(team, task) for task in tasks}
        every = plan_attacks(self.copy, ())
        return [job for job in every if job.args[:2] == (team, track.id)], made
