"""Stages: the work behind every commitment, as jobs that anybody with the keys can repeat.

``prepare``, ``join`` and ``hand_over`` run these jobs and commit to their files; ``verify`` runs
them again and compares every byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, replace
from typing import Any

from quintain.contests import Track
from quintain.contests.cohorts import Matchup
from quintain.contests.redaction import withheld
from quintain.jobs.job import Job, fingerprint
from quintain.journal.events import Event, HandedOver, Joined, Prepared
from quintain.journal.state import State
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView, read_refused
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.counting import TeamRelease, counting_releases
from quintain.runs.tasks.experiments import (
    make_base,
    make_handed_over,
    make_handover_list,
    make_task,
    make_team_sample,
)
from quintain.runs.tasks.questions import make_questions, questioned_attackers


def jobs_of(folder: Folder, event: Event, before: State) -> Iterator[Job]:
    """The jobs that make the files of an event; each needs the files of those before it.

    Parameters
    ----------
    before : the state of the contest before the event.
    """
    edition, state = folder.edition(), before.after(event)
    match event:
        case Prepared():
            track = edition.track_by_id(event.track)
            yield from base_jobs(folder, track)
            yield from task_jobs(folder, track, state)
            for team in before.roster.ids:
                yield from sample_jobs(folder, track, state, team)
        case Joined():
            for track in edition.track:
                if track.id in before.prepared:
                    yield from sample_jobs(folder, track, state, event.team)
                    yield from question_jobs(folder, track, state, event.team)
        case HandedOver():
            yield from hand_over_jobs(folder, edition.track_by_id(event.track), before, event.size)


def base_jobs(folder: Folder, track: Track) -> list[Job]:
    """The population of a track; everything else of the track is drawn from it."""
    made = track.population.model_dump() if track.population else None
    names = list(track.entries) if withheld(track) else None
    key = fingerprint("base", track.dataset.spec(), made, names, folder.secrets())
    return [Job.of(f"base/{track.id}", make_base, (track.id,), key)]


def task_jobs(folder: Folder, track: Track, state: State) -> list[Job]:
    """The organisers' own releases of a track, with their questions and truths."""
    tasks = TrackView.of(track, list(track.entries), {}).releases
    attackers = questioned_attackers(track, state)
    return [_task_job(folder, track, task, attackers) for task in tasks]


def release_made_by(job: Job) -> Task | None:
    """The release that a job of :func:`task_jobs` makes; None for other jobs."""
    of_task: tuple[Any, ...] = job.args[1:]
    return Task(*of_task) if job.name.startswith("task/") else None


def _task_job(folder: Folder, track: Track, task: Task, attackers: tuple[str, ...]) -> Job:
    key = fingerprint(
        "task",
        task,
        track.sample.spec(),
        track.entries[task.entry].spec(),
        *(aim.goal.spec() for aim in track.aims),
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
        *_question_rules(track),
        attackers,
    )
    return Job.of(f"task/{track.id}/{task.name}", make_task, (attackers, *task.args), key)


def _question_rules(track: Track) -> tuple[int | float | None, ...]:
    """What the questions of single attackers depend on."""
    shown_on = track.feedback.shown_on if track.asks_each else None
    return (track.targets_each,) if shown_on is None else (track.targets_each, shown_on)


def sample_jobs(folder: Folder, track: Track, state: State, team: str) -> list[Job]:
    """The private samples of a team; none where the team makes no release."""
    if not track.teams_release or not _makes_release(track, state, team):
        return []
    draw = sample_owner(folder, state, team), seat_of(track, state, team)
    key = fingerprint(
        "team",
        team,
        draw,
        track.sample.spec(),
        track.samples,
        track.shared_sample,
        folder.secrets(),
        folder.base_path(track.id),
    )
    return [Job.of(f"team/{track.id}/{team}", make_team_sample, (track.id, team, *draw), key)]


def sample_owner(folder: Folder, state: State, team: str) -> str:
    """For whom the private sample of a team is drawn: the team, or its cohort."""
    cohorts = folder.rules().cohorts
    if cohorts is None or not cohorts.shared_sample:
        return team
    return f"cohort {state.roster.entrant(team).cohort}"  # no team can have a space in its id


def seat_of(track: Track, state: State, team: str) -> int | None:
    """The place of a team among those that make releases; None unless their samples overlap."""
    if track.sample.common is None or not track.teams_release:
        return None
    makers = [name for name in state.roster.ids if _makes_release(track, state, name)]
    return makers.index(team) if team in makers else None


def _makes_release(track: Track, state: State, team: str) -> bool:
    if team not in state.roster.ids or not state.roster.entrant(team).built_in:
        return True
    return any(b.id == team and b.sanitizer is not None for b in track.baseline)


def question_jobs(folder: Folder, track: Track, state: State, team: str) -> list[Job]:
    """The questions of a team that joins after releases were published, where it has its own."""
    if team not in questioned_attackers(track, state) or state.roster.entrant(team).built_in:
        return []
    handed_over = track.id in state.handed_over
    owners = folder.owners(track) if handed_over else {}
    matchup = Matchup.of(folder.rules().cohorts, state.roster)
    view = TrackView.of(track, list(track.entries), owners, matchup)
    refused = read_refused(folder.at(paths.refusals(track.id)), view.releases)
    view = view.without([*refused, *view.forbidden_entries(team)])
    tasks = [task.args for task in view.tasks]
    if not tasks:
        return []
    truths = [folder.at(paths.truth(task)) for task in view.tasks]
    key = fingerprint("questions", team, tasks, *_question_rules(track), folder.secrets(), *truths)
    return [Job.of(f"questions/{track.id}/{team}", make_questions, (team, tasks), key)]


def hand_over_jobs(folder: Folder, track: Track, state: State, size: int) -> list[Job]:
    """The releases that count after ``size`` events, as tasks for the attackers of a state."""
    matchup = Matchup.of(folder.rules().cohorts, state.roster)
    entries = counting_releases(folder, track, size)
    jobs = [hand_over_job(folder, track, state, matchup, entry) for entry in entries]
    about = fingerprint("handover", track.id, size, track.knowledge, *(job.key for job in jobs))
    named = Job.of(f"handover/{track.id}", make_handover_list, (track.id, size), about)
    return [*jobs, named]


def hand_over_job(
    folder: Folder, track: Track, state: State, matchup: Matchup, entry: TeamRelease
) -> Job:
    """One release of a team as a task for the attackers of a state."""
    questioned = tuple(
        attacker
        for attacker in questioned_attackers(track, state)
        if attacker != entry.team and matchup.allows(attacker, entry.team)
    )
    given = track.id, entry, *_question_rules(track), questioned
    key = fingerprint("handover", *given, *entry.paths(folder), folder.secrets())
    drawn = replace(entry, team=sample_owner(folder, state, entry.team))
    args = (track.id, *astuple(drawn), questioned, seat_of(track, state, entry.team))
    return Job.of(f"handover/{track.id}/{entry.id}", make_handed_over, args, key)
