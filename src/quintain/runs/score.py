"""Score: run the jobs of the plan, rank, and write the result files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from quintain.contests import Track
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.files import remove_drafts, write_file
from quintain.jobs.job import Job, fingerprint
from quintain.journal.events import Submitted
from quintain.programs.choice import STRANGERS, Containment
from quintain.rankings import Entry, Results
from quintain.registry import plugin_files
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView
from quintain.runs.folder.paths import Task
from quintain.runs.folder.record import roots
from quintain.runs.report import (
    page_templates,
    report_bytes,
    run_facts,
    track_maps,
)
from quintain.runs.scores.cells import measure_cell, measure_fresh, measure_utility
from quintain.runs.scores.feedback import feedback_files
from quintain.runs.scores.residuals import residual_files
from quintain.runs.scores.results import cells_bytes, cells_table, matrix_bytes, standings_bytes
from quintain.runs.scores.scores import Scores, measured_entries, refusals_of
from quintain.runs.scores.stored import Survey
from quintain.runs.story import rules_of, story
from quintain.runs.submissions.checking import guess_file
from quintain.runs.submissions.counting import submissions, submitted_guesses
from quintain.runs.tasks.baselines import absent_releases, attacked_tasks, make_guess
from quintain.runs.tasks.own_answers import answer_queries
from quintain.runs.tasks.programs import run_new_programs
from quintain.runs.tasks.recipe_runs import recipe_files, recipe_outcomes
from quintain.wording.languages import DEFAULT, speaking

# Plan: the jobs that are left to do before a folder can be ranked.
#
# Nothing runs and nothing is written here: the plan is a function of the files. A job is listed as
# soon as its inputs exist; run the jobs, and the next plan lists those that follow. An empty plan
# means that every cell is measured. Runs of the teams' programs are not in the plan, because their
# results enter the journal.


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
    answers = submitted_guesses(view.track, submitted, folder.state())
    done = {attacker: answered.names() for attacker, answered in answers.items()}
    yield from _attacks_on(folder, view, _attack_keys(folder, view.track), done)


def _attack_keys(folder: Folder, track: Track) -> dict[tuple[str, str], str]:
    """What the guesses of each baseline at each goal depend on, beside the files of the task."""
    draws, base, plugins = folder.secrets().draws, folder.base_path(track.id), plugin_files()
    return {
        (baseline.id, aim.id): fingerprint(
            "attack", baseline.attack.spec(), aim.knowledge, draws, base, *plugins
        )
        for baseline in track.baseline
        if baseline.attack is not None
        for aim in track.aims
    }


def _attacks_on(
    folder: Folder,
    view: TrackView,
    keys: Mapping[tuple[str, str], str],
    done: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Iterator[Job]:
    """The attacks of baselines on the tasks of a view; ``done`` are the answers of each."""
    track = view.track
    for baseline in track.baseline:
        for task in attacked_tasks(view, baseline):
            if guess_file(track, task, baseline.id) not in done.get(baseline.id, ()):
                files = paths.attacker_files(task, *track.formats)
                key = fingerprint(keys[baseline.id, task.goal], *map(folder.digest, files))
                name = f"attack/{track.id}/{baseline.id}/{task.name}"
                yield Job.of(name, make_guess, (baseline.id, *task.args), key)


class Following:
    """The jobs that can start as soon as a release is made.

    They are some of those that :func:`attack_all` and :func:`measure_all` list when all releases
    are made; those that ran already do not run again. Rules are read once: they do not change
    meanwhile.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._tracks: dict[str, tuple[Track, dict[tuple[str, str], str], str]] = {}

    def __call__(self, task: Task, team: str | None = None) -> Iterator[Job]:
        """The attacks on a release, and the job that measures it; none if there is a refusal.

        ``team`` made the release; None stands for the organisers.
        """
        if self._folder.at(paths.refusal(task)).is_file():
            return
        if task.track not in self._tracks:
            track = self._folder.edition().track_by_id(task.track)
            keys = _attack_keys(self._folder, track)
            self._tracks[task.track] = track, keys, _about_utility(track)
        track, keys, about = self._tracks[task.track]
        owners = {} if team is None else {task.entry: team}
        view = TrackView(track, owners, {task.entry: (task,)}, self._folder.matchup())
        yield from _attacks_on(self._folder, view, keys)
        yield _utility_job(self._folder, task, about)


def plan_releases(folder: Folder, views: Sequence[TrackView]) -> list[Job]:
    """The jobs that measure each release, and fresh samples where there are gates."""
    jobs = [job for view in views for job in release_jobs(folder, view)]
    return [job for job in jobs if not folder.is_done(job)]


def release_jobs(folder: Folder, view: TrackView) -> Iterator[Job]:
    """All jobs of a track that read releases only, whether they are done or not."""
    track = view.track
    about = _about_utility(track)
    for task in view.releases:
        yield _utility_job(folder, task, about)
    if view.tasks and track.measured_gates:
        drawn = track.sample.spec(), folder.secrets(), folder.base_path(track.id)
        key = fingerprint("fresh", about, *drawn)
        yield Job.of(f"fresh/{track.id}", measure_fresh, (track.id,), key)


def measure_releases(folder: Folder, track: Track) -> tuple[Entry, ...]:
    """The entries of a track with their readings and gates, before anybody attacks them."""
    view = folder.read(track)
    folder.run(plan_releases(folder, [view]), executor=SERIAL, label="releases")
    return measured_entries(folder, view)


def _about_utility(track: Track) -> str:
    return fingerprint("utility", track.release_measures, track.derived)


def _utility_job(folder: Folder, task: Task, about: str) -> Job:
    files = paths.private(task), paths.full_release(task)
    key = fingerprint(about, *map(folder.digest, files))
    return Job.of(f"utility/{task.track}/{task.name}", measure_utility, task.args, key)


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


class Measured(NamedTuple):
    """A folder once everything in it is measured.

    ``releases`` are the keys of the jobs that read releases only.
    """

    surveys: list[Survey]
    releases: list[str]


def score(
    folder: Folder,
    *,
    executor: Executor = SERIAL,
    report: bool = True,
    now: datetime | None = None,
    containment: Containment = STRANGERS,
) -> Mapping[str, Results]:
    """Score a folder in its present state; only what is new is computed.

    Returns the results by track. They are read from the cache when they are needed. Without
    ``report``, a page that shows earlier results is removed; a later call writes the new one.
    ``containment`` says where programs of teams run: see ``run_programs``.
    """
    folder.require_secrets()
    remove_drafts(folder.root)
    attack_all(folder, executor=executor)
    moment = now or datetime.now(UTC)
    answer_by_programs(folder, now=moment, executor=executor, containment=containment)
    submitted = submissions(folder)
    measured = measure_all(folder, submitted, executor=executor)
    scores = Scores(folder, measured.surveys)
    ranking = _ranking_job(folder, measured, provenance(folder, submitted))
    page = Job.of("report", make_report, (), fingerprint("report", ranking.key, *page_templates()))
    page_is_done = folder.is_done(page)
    if not page_is_done:  # first of all: an earlier page must not stand beside later results
        folder.at(paths.REPORT).unlink(missing_ok=True)
    if not folder.is_done(ranking):
        files = {**ranking_files(folder, submitted, scores), **feedback_files(folder, scores)}
        spent = files.pop(paths.FEEDBACK, None)
        if spent is not None:  # first of all: a team must not see what was not counted
            write_file(folder.at(paths.FEEDBACK), spent, durable=True)
        folder.finish(ranking, files)
    if report and not page_is_done:
        folder.finish(page, report_file(folder, submitted, scores))
    return scores


def answer_by_programs(
    folder: Folder,
    *,
    now: datetime,
    executor: Executor = SERIAL,
    containment: Containment = STRANGERS,
) -> None:
    """Let models answer new queries, and teams' programs new tasks; none after the end."""
    answer_queries(folder, now=now, executor=executor, containment=containment)
    run_new_programs(folder, "guess", now=now, executor=executor, containment=containment)


def attack_all(folder: Folder, *, executor: Executor = SERIAL) -> None:
    """Let every baseline answer the tasks that it has not answered by a submission."""
    jobs = plan_attacks(folder, submissions(folder))
    folder.run(jobs, executor=executor, label="attacks")


def measure_all(
    folder: Folder, submitted: Sequence[Submitted], *, executor: Executor = SERIAL
) -> Measured:
    """Measure every cell and every release that is not measured yet.

    A player of a rehearsal that submitted no release is asked again why not.
    """
    surveys = [Survey.of(folder, track, submitted) for track in folder.edition().track]
    releases = [job for survey in surveys for job in release_jobs(folder, survey.view)]
    cells = [job for survey in surveys for job in plan_cells(survey)]
    absent = [job for survey in surveys for job in absent_releases(folder, survey.view.track)]
    folder.run(releases + cells + absent, executor=executor, label="measures")
    return Measured([survey.store(folder) for survey in surveys], [job.key for job in releases])


def _ranking_job(folder: Folder, measured: Measured, facts: Mapping[str, Any]) -> Job:
    """The ranking as a job; its key changes whenever a reading could change."""
    surveys = measured.surveys
    keys = [text for survey in surveys for pair in survey.keys.items() for text in pair]
    views = [survey.view for survey in surveys]
    cards = [folder.digest(paths.full_card(task)) for view in views for task in view.releases]
    bases = [folder.base_path(view.track.id) for view in views if view.tasks]
    rules = folder.edition().to_bytes()
    about = "\n".join([*keys, *measured.releases, *cards])
    refused = [refusals_of(folder, view) for view in views]
    key = fingerprint("ranking", rules, about, facts, *bases, *filter(None, refused))
    return Job.of("ranking", make_results, (), key)


def make_results(root: Path) -> Mapping[str, bytes]:
    """The contents of every file that ranking writes, once all cells are measured."""
    folder = Folder(root)
    submitted = submissions(folder)
    scores = _measured_scores(folder, submitted)
    files = ranking_files(folder, submitted, scores)
    return {**files, **feedback_files(folder, scores)}


def make_report(root: Path) -> Mapping[str, bytes]:
    """The page, once all cells are measured."""
    folder = Folder(root)
    submitted = submissions(folder)
    return report_file(folder, submitted, _measured_scores(folder, submitted))


def _measured_scores(folder: Folder, submitted: Sequence[Submitted]) -> Scores:
    tracks = folder.edition().track
    return Scores(folder, [Survey.of(folder, track, submitted).store(folder) for track in tracks])


def ranking_files(
    folder: Folder, submitted: Sequence[Submitted], scores: Mapping[str, Results]
) -> dict[str, bytes]:
    """The results as files for programs; they depend on the folder only, not on time or machine."""
    table = cells_table(scores)
    return {
        paths.CELLS: cells_bytes(table),
        paths.STANDINGS: standings_bytes(folder.edition(), scores, provenance(folder, submitted)),
        paths.MATRIX: matrix_bytes(table),
        **recipe_files(folder, submitted),
        **residual_files(folder.edition(), scores),
    }


@speaking(DEFAULT)  # the same bytes for visitors of all languages
def report_file(
    folder: Folder, submitted: Sequence[Submitted], scores: Mapping[str, Results]
) -> dict[str, bytes]:
    """The results as a page for people; it depends on the folder only, not on time or machine."""
    edition, facts = folder.edition(), provenance(folder, submitted)
    runs = {
        track.id: replace(
            run_facts(folder, track),
            maps=track_maps(folder, track, scores[track.id], submitted),
            recipes=recipe_outcomes(folder, track, submitted),
        )
        for track in edition.track
    }
    happened = story(folder.journal().events(), rules_of(folder))
    return {paths.REPORT: report_bytes(edition, scores, facts, runs, happened)}


def provenance(folder: Folder, submitted: Sequence[Submitted]) -> dict[str, Any]:
    """What the results depend on: rules, commitments, journal, submissions, kind of seeds.

    The event that reveals the secrets comes after the results and is not part of it.
    """
    state, journal = folder.state(), folder.journal()
    size = journal.size() - (state.revealed is not None)
    return {
        "commitments": roots(state),
        "journal": {"events": size, "root": journal.tree(size=size).root().hex()},
        "rules": len(state.rules),
        "submissions": len(submitted),
        "test": folder.secrets().test,
    }
