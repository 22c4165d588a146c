"""The built-in players: baselines attack every task, and in a rehearsal they make releases, too.

A baseline that refuses leaves a file with the reason instead of its guess or its release.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quintain.contests import Baseline, Track
from quintain.data.files import read_trusted
from quintain.jobs.job import Job, fingerprint
from quintain.plays import LASTING, Refusal, Situation, play
from quintain.registry import plugin_files
from quintain.releases import ReleaseCard
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, TrackView, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.checking import (
    check,
    check_own_guess,
    guess_file,
    release_bytes,
    release_file,
)
from quintain.runs.submissions.counting import submissions
from quintain.runs.tasks.experiments import reason_bytes
from quintain.sanitizers import sanitize
from quintain.sanitizers.sanitizer import Shadow


def make_guess(root: Path, attacker: str, *of_task: Any) -> Mapping[str, bytes]:
    """One baseline's answer to one task, or why it gives none; raises if the judge would refuse."""
    folder, task = Folder(root), Task(*of_task)
    track = folder.edition().track_by_id(task.track)
    part = next(b.attack for b in track.baseline if b.id == attacker)
    assert part is not None  # only baselines with an attack come here
    rng = folder.secrets().seeds(task.track, "attack", attacker, *task.stream).rng(task.repeat)
    situation = situation_of(folder, track, task)
    outcome = play(part, situation, rng=rng)
    if isinstance(outcome, Refusal):
        if not outcome.lasting:  # a verifier on another machine would disagree
            raise outcome.error
        return {paths.refused_guess(attacker, task): reason_bytes(outcome.error)}
    content = csv_bytes(outcome.table, header=track.files.header)
    name = guess_file(track, task, attacker)
    check_own_guess(folder, track, task, situation.question, name, content)
    return {paths.baseline_guess(attacker, task): content}


def situation_of(folder: Folder, track: Track, task: Task) -> Situation:
    """One task, as an attacker meets it under the threat model of its goal."""
    threat, sanitizer = track.aim(task.goal).threat, track.entries.get(task.entry)
    knowledge = threat.knowledge(
        folder.question(track, task),
        base=folder.base(track.id) if threat.data.base else None,
        parameters=sanitizer.spec() if sanitizer else None,
        code=Shadow(sanitizer) if sanitizer else None,
    )
    return Situation(threat.goal, folder.release(track, task), knowledge)


def attacked_tasks(view: TrackView, baseline: Baseline) -> list[Task]:
    """The tasks that a baseline answers: those of every goal that its attack can pursue."""
    attack = baseline.attack
    if attack is None:
        return []
    goals = {aim.id for aim in view.track.aims if aim.is_answered_by(attack)}
    return [task for task in view.tasks_for(baseline.id) if task.goal in goals]


def makes_release(track: Track) -> list[str]:
    """The baselines that make a release in a rehearsal of a track."""
    if track.phase_for("release") is None:
        return []
    return [baseline.id for baseline in track.baseline if baseline.sanitizer is not None]


def absent_releases(folder: Folder, track: Track, *, before: int | None = None) -> list[Job]:
    """The releases of players that submitted none, as jobs that make them or say why not.

    ``before`` is the number of an event; later submissions are not looked at.
    """
    if track.id not in folder.state().prepared:
        return []
    roster = folder.state().roster
    done = {
        submission.team
        for submission in submissions(folder)
        if submission.track == track.id and submission.kind == "release"
        if before is None or submission.number < before
    }
    players = [name for name in makes_release(track) if name in roster.ids and name not in done]
    return [release_job(folder, track, name) for name in players]


def release_job(folder: Folder, track: Track, team: str) -> Job:
    """The release of a baseline as a job; a verifier runs it again."""
    part = next(b.sanitizer for b in track.baseline if b.id == team)
    assert part is not None  # only baselines with a sanitizer come here
    private = folder.at(paths.team_sample(team, track.id, track.choices[0]))
    key = fingerprint("release", part.spec(), private, folder.secrets(), *plugin_files())
    return Job.of(f"release/{track.id}/{team}", make_release, (track.id, team), key)


def make_release(root: Path, track_id: str, team: str) -> Mapping[str, bytes]:
    """A baseline's release of its private sample with its card, or why there is none.

    What breaks a rule of the contest would not be accepted, so that is a refusal as well.
    """
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    part = next(b.sanitizer for b in track.baseline if b.id == team)
    assert part is not None  # only baselines with a sanitizer come here
    header = track.files.header
    sample = track.choices[0]
    path = folder.at(paths.team_sample(team, track_id, sample))
    private = read_trusted(path, folder.private_schema(track), header=header)
    rng = folder.secrets().seeds(track_id, "sanitize").rng(team)
    noise = folder.secrets().noise_for(track_id, team)
    try:
        made = sanitize(part, private, rng=rng, noise=noise)
        files = {
            release_file(track, team, sample): release_bytes(
                track, made.release.data, made.trace.origins, private
            ),
            paths.CARD: ReleaseCard.of(made.release).to_bytes(),
        }
        check(folder, track, "release", team, files, sample)
    except LASTING as error:
        return {paths.refused_release(track_id, team): reason_bytes(error)}
    return dict(zip(paths.baseline_release(track_id, team), files.values(), strict=True))
