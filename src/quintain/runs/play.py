"""Play: a whole contest with the baselines as teams, by the same steps as a live contest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from quintain.contests import Edition, Track
from quintain.errors import FolderError
from quintain.jobs.executor import SERIAL, Executor
from quintain.programs import Role
from quintain.programs.choice import TRUSTED
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.own_data import copy_own_data
from quintain.runs.folder.rules import are_those_of, write_rules
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.rehearsal import Programs, hand_in, with_players
from quintain.runs.score import attack_all, score
from quintain.runs.submissions.checking import guess_file, release_file
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import LONG_AGO, submit
from quintain.runs.tasks.baselines import makes_release, release_job

REHEARSAL_BEACON = "a rehearsal"
"""The public value of a rehearsal whose rules announce one; everything in it is public anyway."""


def play(
    edition: Edition,
    out: Path,
    *,
    seed: int | None,
    programs: Programs = MappingProxyType({}),
    executor: Executor = SERIAL,
) -> Folder:
    """Play an edition into a folder; a second call continues a run that was stopped.

    ``programs`` take part, each as a separate team. They are those of the person who plays, so they
    also run where nothing contains them.
    """
    folder = _open(with_players(edition, programs), out)
    steps = schedule(edition)
    now = min(step.time for step in steps)
    _prepare(folder, seed, now, executor)
    for step in steps:
        track = folder.edition().track_by_id(step.track)
        if step.makes == "release":
            _make_releases(folder, track, step.time, executor=executor)
            hand_in(folder, track, "release", programs, step.time)
            continue
        if track.teams_release:
            _hand_over_once(folder, track, step.time, executor)
        attack_all(folder, executor=executor)
        _hand_in_guesses(folder, track, step.time)
        hand_in(folder, track, "guess", programs, step.time)
    last = max(step.time for step in steps)
    score(folder, executor=executor, now=last, containment=TRUSTED)
    return folder


class Step(NamedTuple):
    """What the players of a rehearsal do in a track, and when."""

    time: datetime
    makes: Role
    track: str


def schedule(edition: Edition) -> list[Step]:
    """The steps of all tracks in the order of their dates; attacks follow the hand-over."""
    steps = []
    for track in edition.track:
        time = LONG_AGO
        release, guess = track.phase_for("release"), track.phase_for("guess")
        if release is not None:
            steps.append(Step(time := release.opens or LONG_AGO, "release", track.id))
            time = max(time, release.closes or time)
        opens = guess.opens if guess is not None else None
        steps.append(Step(max(time, opens or time), "guess", track.id))
    return sorted(steps, key=lambda step: step.time)


def _prepare(folder: Folder, seed: int | None, now: datetime, executor: Executor) -> None:
    tracks = [track.id for track in folder.rules().track]
    make = partial(prepare, folder, tracks=tracks, rehearsal=True, now=now, executor=executor)
    if not make(seed=seed):
        make(beacon=REHEARSAL_BEACON)


def _hand_over_once(folder: Folder, track: Track, now: datetime, executor: Executor) -> None:
    """Hand over, unless a run that was stopped has already done so, or nobody made a release."""
    made = any(s.track == track.id and s.kind != "guess" for s in submissions(folder))
    if made and track.id not in folder.state().handed_over:
        hand_over(folder, track.id, now=now, executor=executor, containment=TRUSTED)


def _open(edition: Edition, out: Path) -> Folder:
    own = copy_own_data(edition)
    if (out / paths.RULES).is_file():
        if not are_those_of(Folder(out), own.edition):
            raise FolderError(
                f"{out} holds a run of another edition; choose another folder with --out"
            )
        return Folder(out)
    if out.exists() and any(out.iterdir()):
        raise FolderError(f"{out} is not empty and holds no run; choose another folder with --out")
    own.write(out)
    write_rules(out, own.edition)
    return Folder(out)


def _make_releases(folder: Folder, track: Track, now: datetime, *, executor: Executor) -> None:
    """Make and submit the baselines' releases; one that refuses submits nothing."""
    if track.id in folder.state().handed_over:
        return
    players = makes_release(track)
    jobs = [release_job(folder, track, team) for team in players]
    folder.run(jobs, executor=executor, label="releases")
    for team in players:
        release, card = (folder.at(name) for name in paths.baseline_release(track.id, team))
        if release.is_file():
            files = {release_file(track, team): release, paths.CARD: card}
            _submit_once(folder, track, team, "release", files, now)


def _hand_in_guesses(folder: Folder, track: Track, now: datetime) -> None:
    view = folder.read(track)
    for baseline in track.baseline:
        if baseline.attack is None:
            continue
        made = {
            guess_file(track, task, baseline.id): folder.at(paths.baseline_guess(baseline.id, task))
            for task in view.tasks_for(baseline.id)
        }
        files = {name: path for name, path in made.items() if path.is_file()}
        if files:
            _submit_once(folder, track, baseline.id, "guess", files, now)


def _submit_once(
    folder: Folder,
    track: Track,
    team: str,
    kind: Role,
    files: Mapping[str, Path],
    now: datetime,
) -> None:
    """Submit files, unless a run that was stopped has already done so."""
    done = any((s.team, s.track, s.kind) == (team, track.id, kind) for s in submissions(folder))
    if not done and track.phase_for(kind) is not None:
        contents = {name: path.read_bytes() for name, path in files.items()}
        submit(folder, team, contents, track=track.id, kind=kind, now=now)
