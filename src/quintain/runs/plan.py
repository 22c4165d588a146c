"""Plan: what is to be done to score a folder, as a list of jobs that anybody may run.

Nothing is run or written here: the plan is a function of the files. Jobs are listed once their
inputs are there; run them, and the next plan has what follows. An empty plan means that every cell
is measured. What programs of teams make is no part of it, because it enters the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple

from quintain.contests import Track
from quintain.jobs.job import Job, fingerprint
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.view import TrackView
from quintain.runs.scores.cells import measure_cell, measure_fresh, measure_utility
from quintain.runs.scores.survey import Survey
from quintain.runs.submissions.answers import submitted_answers
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.receipt import Receipt
from quintain.runs.tasks.baselines import make_guess


def plan(folder: Folder) -> list[Job]:
    """The jobs that can be run now and are not done."""
    submitted, tracks = receipts(folder), folder.edition().track
    attacks = plan_attacks(folder, submitted)
    surveys = [Survey.of(folder, track, submitted) for track in tracks]
    pending = {(job.args[1], job.args[2], job.args[0]) for job in attacks}
    cells = [
        job
        for survey in surveys
        for job in plan_cells(survey)
        if job.args[:3] not in pending and not folder.is_done(job)
    ]
    return attacks + plan_releases(folder, [survey.view for survey in surveys]) + cells


def plan_attacks(folder: Folder, submitted: Sequence[Receipt]) -> list[Job]:
    """The answers of baselines to tasks for which they have handed in none."""
    jobs = [
        job
        for track in folder.edition().track
        for job in _attacks(folder, folder.read(track), submitted)
    ]
    return [job for job in jobs if not folder.is_done(job)]


def _attacks(folder: Folder, view: TrackView, submitted: Sequence[Receipt]) -> Iterator[Job]:
    track, draws, base = view.track, folder.secrets().draws, folder.base_path(view.track.id)
    handed_in = submitted_answers(track, submitted)
    for baseline in track.baseline:
        if baseline.attack is None:
            continue
        about = fingerprint("attack", baseline.attack.spec(), track.knowledge, draws, base)
        done = handed_in.get(baseline.id, {})
        for task in view.tasks_for(baseline.id):
            if guess_file(track, task, baseline.id) not in done:
                key = fingerprint(about, *folder.given(track, task))
                name = f"attack/{track.id}/{baseline.id}/{task.name}"
                yield Job.of(name, make_guess, (baseline.id, *astuple(task)), key)


def plan_releases(folder: Folder, views: Sequence[TrackView]) -> list[Job]:
    """The utility of every release, and of fresh samples where there are gates."""
    jobs = [job for view in views for job in release_jobs(folder, view)]
    return [job for job in jobs if not folder.is_done(job)]


def release_jobs(folder: Folder, view: TrackView) -> Iterator[Job]:
    """All jobs of a track that look at releases alone, whether they are done or not."""
    track, about = view.track, fingerprint("utility", view.track.release_measures)
    for task in view.tasks:
        key = fingerprint(about, *map(folder.at, (paths.private(task), paths.made(task))))
        name = f"utility/{track.id}/{task.name}"
        yield Job.of(name, measure_utility, astuple(task), key)
    if view.tasks and _has_gates(track):
        drawn = track.sample.spec(), folder.secrets(), folder.base_path(track.id)
        key = fingerprint("fresh", about, *drawn)
        yield Job.of(f"fresh/{track.id}", measure_fresh, (track.id,), key)


def _has_gates(track: Track) -> bool:
    return any(measured.gated for measured in track.release_measures)


def plan_cells(survey: Survey) -> list[Job]:
    """The cells of a track that are not measured."""
    track = survey.view.track.id
    return [
        Job.of(
            f"cell/{track}/{cell.entry}/{cell.attacker}",
            measure_cell,
            (track, cell.entry, cell.attacker, cell.attempts),
            cell.key,
        )
        for cell in survey.missing()
    ]
