"""Score: run the jobs of the plan, rank, and write the result files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import Job, fingerprint
from quintain.rankings import Results
from quintain.runs.folder import paths
from quintain.runs.folder.commitments import roots
from quintain.runs.folder.folder import Folder
from quintain.runs.plan import plan_attacks, plan_cells, plan_releases, release_jobs
from quintain.runs.report import report_bytes, run_facts
from quintain.runs.scores.feedback import public_board
from quintain.runs.scores.results import cells_bytes, cells_table, matrix_bytes, standings_bytes
from quintain.runs.scores.scores import Scores
from quintain.runs.scores.survey import Survey
from quintain.runs.submissions.ledger import receipts
from quintain.runs.submissions.receipt import GENESIS, Receipt
from quintain.runs.tasks.programs import run_programs


def score(folder: Folder, *, executor: Executor = SERIAL) -> Mapping[str, Results]:
    """Score a folder in its present state; only what is new is computed.

    Returns the results by track. They are read from the cache when they are needed.
    """
    folder.require_secrets()
    attack_all(folder, executor=executor)
    run_programs(folder, "guess", executor=executor)
    submitted = receipts(folder)
    surveys = measure_all(folder, submitted, executor=executor)
    scores = Scores(folder, surveys)
    job = _results_job(folder, surveys, provenance(folder, submitted))
    if not folder.is_done(job):
        files = result_files(folder, submitted, scores)
        folder.finish(job, {**files, paths.BOARD: public_board(folder, scores)})
    return scores


def attack_all(folder: Folder, *, executor: Executor = SERIAL) -> None:
    """Let every baseline answer the tasks that it has not answered by a submission."""
    jobs = plan_attacks(folder, receipts(folder))
    folder.run(jobs, executor=executor, label="attacks")


def measure_all(
    folder: Folder, submitted: Sequence[Receipt], *, executor: Executor = SERIAL
) -> list[Survey]:
    """Measure every cell and every release that is not measured yet."""
    surveys = [Survey.of(folder, track, submitted) for track in folder.edition().track]
    jobs = plan_releases(folder, [survey.view for survey in surveys])
    jobs += [job for survey in surveys for job in plan_cells(survey)]
    folder.run(jobs, executor=executor, label="measures")
    return [survey.kept(folder) for survey in surveys]


def _results_job(folder: Folder, surveys: Sequence[Survey], facts: Mapping[str, Any]) -> Job:
    """The ranking as a job; its key changes whenever a reading could change."""
    keys = [text for survey in surveys for pair in survey.keys.items() for text in pair]
    keys += [job.key for survey in surveys for job in release_jobs(folder, survey.view)]
    views = [survey.view for survey in surveys]
    cards = [folder.at(paths.full_card(task)) for view in views for task in view.tasks]
    bases = [folder.base_path(view.track.id) for view in views]
    rules = folder.edition().to_bytes()
    key = fingerprint("ranking", rules, "\n".join(keys), facts, *cards, *bases)
    return Job.of("ranking", make_results, (), key)


def make_results(root: Path) -> Mapping[str, bytes]:
    """The contents of every file that scoring writes, once all cells are measured."""
    folder = Folder(root)
    submitted = receipts(folder)
    surveys = [Survey.of(folder, track, submitted) for track in folder.edition().track]
    scores = Scores(folder, surveys)
    files = result_files(folder, submitted, scores)
    return {**files, paths.BOARD: public_board(folder, scores)}


def result_files(
    folder: Folder, submitted: Sequence[Receipt], scores: Mapping[str, Results]
) -> dict[str, bytes]:
    """The contents of the result files; they depend on the folder only, not on time or machine."""
    edition, facts = folder.edition(), provenance(folder, submitted)
    table = cells_table(scores)
    runs = {track.id: run_facts(folder, track) for track in edition.track}
    return {
        paths.CELLS: cells_bytes(table),
        paths.STANDINGS: standings_bytes(edition, scores, facts),
        paths.MATRIX: matrix_bytes(table),
        paths.REPORT: report_bytes(edition, scores, facts, runs),
    }


def provenance(folder: Folder, submitted: Sequence[Receipt]) -> dict[str, Any]:
    """What the results depend on: commitments, ledger, submissions, kind of seeds."""
    return {
        "commitments": roots(folder),
        "ledger": submitted[-1].hash if submitted else GENESIS,
        "submissions": len(submitted),
        "test": folder.secrets().test,
    }
