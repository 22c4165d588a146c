"""Plan: the jobs that are left to do before a folder can be ranked.

Nothing runs and nothing is written here: the plan is a function of the files. A job is listed as
soon as its inputs exist; run the jobs, and the next plan lists those that follow. An empty plan
means that every cell is measured. Runs of the teams' programs are not in the plan, because their
results enter the journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quintain.contests import Track
from quintain.jobs.job import Job, fingerprint
from quintain.journal.events import Submitted
from quintain.registry import plugin_files
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.view import TrackView
from quintain.runs.scores.cells import measure_cell, measure_fresh, measure_utility
from quintain.runs.scores.survey import Survey
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.counting.answers import Answered, submitted_guesses
from quintain.runs.submissions.submitted import submissions
from quintain.runs.tasks.baselines import make_guess


def plan(folder: Folder) -> list[Job]:
    """The jobs that can run now and are not done."""
    submitted, tracks = submissions(folder), folder.edition().track
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


def plan_attacks(folder: Folder, submitted: Sequence[Submitted]) -> list[Job]:
    """The attacks of baselines on tasks that they have not answered by a submission."""
    jobs = [
        job
        for track in folder.edition().track
        for job in _attacks(folder, folder.read(track), submitted)
    ]
    return [job for job in jobs if not folder.is_done(job)]


def _attacks(folder: Folder, view: TrackView, submitted: Sequence[Submitted]) -> Iterator[Job]:
    if not view.tasks:  # the population may not exist yet
        return
    track, draws, base = view.track, folder.secrets().draws, folder.base_path(view.track.id)
    answers = submitted_guesses(track, submitted, folder.state())
    for baseline in track.baseline:
        if baseline.attack is None:
            continue
        about = fingerprint(
            "attack", baseline.attack.spec(), track.knowledge, draws, base, *plugin_files()
        )
        done = answers.get(baseline.id, Answered()).names()
        for task in view.tasks_for(baseline.id):
            if guess_file(track, task, baseline.id) not in done:
                files = paths.attacker_files(task, track.files.data)
                key = fingerprint(about, *map(folder.digest, files))
                name = f"attack/{track.id}/{baseline.id}/{task.name}"
                yield Job.of(name, make_guess, (baseline.id, *task.args), key)


def plan_releases(folder: Folder, views: Sequence[TrackView]) -> list[Job]:
    """The jobs that measure each release, and fresh samples where there are gates."""
    jobs = [job for view in views for job in release_jobs(folder, view)]
    return [job for job in jobs if not folder.is_done(job)]


def release_jobs(folder: Folder, view: TrackView) -> Iterator[Job]:
    """All jobs of a track that read releases only, whether they are done or not."""
    track = view.track
    about = fingerprint("utility", track.release_measures, track.derived)
    for task in view.tasks:
        files = paths.private(task), paths.full_release(task)
        key = fingerprint(about, *map(folder.digest, files))
        name = f"utility/{track.id}/{task.name}"
        yield Job.of(name, measure_utility, task.args, key)
    if view.tasks and _has_gates(track):
        drawn = track.sample.spec(), folder.secrets(), folder.base_path(track.id)
        key = fingerprint("fresh", about, *drawn)
        yield Job.of(f"fresh/{track.id}", measure_fresh, (track.id,), key)


def _has_gates(track: Track) -> bool:
    return any(measured.gated for measured in track.release_measures)


def plan_cells(survey: Survey) -> list[Job]:
    """The jobs that measure the missing cells of a track."""
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
