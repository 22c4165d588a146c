"""Prepare: freeze the rules, draw the samples, run the organisers' sanitizers, commit.

The organisers do this before a phase opens. Releases that teams make themselves go to the
attackers later, by :func:`quintain.runs.hand_over.hand_over`.
"""

from __future__ import annotations

from quintain.contests import Track
from quintain.errors import FolderError
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.files import remove_drafts
from quintain.jobs.job import Job, fingerprint
from quintain.runs.folder import paths
from quintain.runs.folder.commitments import commit
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.privacy import write
from quintain.runs.folder.rules import freeze
from quintain.runs.folder.secrets import Secrets
from quintain.runs.folder.task import Task
from quintain.runs.folder.view import TrackView
from quintain.runs.tasks.experiments import make_base, make_task, make_team_sample


def prepare(folder: Folder, *, seed: int | None = None, executor: Executor = SERIAL) -> None:
    """Make a folder ready for its first phase; if it was interrupted, run it again."""
    remove_drafts(folder.root)
    _freeze(folder, seed)
    edition = folder.edition()
    jobs = [_base_job(folder, track) for track in edition.track]
    folder.run(jobs, executor=executor, label="data")
    jobs = [
        _task_job(folder, track, task)
        for track in edition.track
        for task in TrackView.of(track, list(track.entries), {}).tasks
    ]
    jobs += [
        _team_job(folder, track, team.id)
        for track in edition.track
        if track.teams_release
        for team in (*edition.team, *(b for b in track.baseline if b.sanitizer))
    ]
    folder.run(jobs, executor=executor, label="samples and releases")
    commit(folder, "prepare")


def _freeze(folder: Folder, seed: int | None) -> None:
    """Write rules and seeds; the seeds last, because a folder with seeds keeps its rules."""
    path = folder.at(paths.SEEDS)
    stored = folder.secrets() if path.is_file() else None
    wanted = Secrets.fresh() if seed is None else Secrets.from_seed(seed)
    if stored is not None and seed is not None and stored != wanted:
        raise FolderError(f"{folder.root} was prepared with other seeds; choose a new folder")
    if stored is None or not folder.prepared:
        freeze(folder.root, folder.edition())
    if stored is None:
        write(folder.root, paths.SEEDS, wanted.to_bytes(), durable=True)


def _base_job(folder: Folder, track: Track) -> Job:
    made = track.population.model_dump() if track.population else None
    key = fingerprint("base", track.dataset.spec(), made, folder.secrets())
    return Job.of(f"base/{track.id}", make_base, (track.id,), key)


def _team_job(folder: Folder, track: Track, team: str) -> Job:
    key = fingerprint(
        "team",
        team,
        track.sample.spec(),
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
    )
    return Job.of(f"team/{track.id}/{team}", make_team_sample, (track.id, team), key)


def _task_job(folder: Folder, track: Track, task: Task) -> Job:
    key = fingerprint(
        "task",
        task,
        track.sample.spec(),
        track.entries[task.entry].spec(),
        track.goal.spec(),
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
    )
    return Job.of(f"task/{track.id}/{task.name}", make_task, task.args, key)
