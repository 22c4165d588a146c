"""Taking part: run an attack or a sanitizer of your choice on the files of a kit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from quintain.attacks import Attack
from quintain.contests import Track
from quintain.data import Data, as_model
from quintain.data.files.data_file import read_trusted
from quintain.data.models import join_answers
from quintain.errors import Faults, FolderError, Refused, SubmissionError
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.job import explain_crash
from quintain.jobs.progress import track as tracked
from quintain.plays import Situation, play_or_raise
from quintain.programs import Draws, ReleaseContract
from quintain.programs.choice import no_sandbox
from quintain.programs.failures import ProgramError
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.registry import build
from quintain.releases import ReleaseCard
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder, csv_bytes
from quintain.runs.folder.paths import Task
from quintain.runs.submissions.checking import guess_file, release_bytes, release_file
from quintain.runs.tasks.baselines import situation_of
from quintain.runs.tasks.programs import contract_for
from quintain.sanitizers import Sanitizer, sanitize
from quintain.wording.suggestion import suggestion

ANYBODY = "YOUR-TEAM"
"""The team in file names until a team is named."""

Spec = Mapping[str, Any]
"""A part as an edition would name it: ``{"use": "nearest", parameter: value, ...}``."""


def open_tasks(folder: Folder, track: Track, team: str, wanted: Collection[str] = ()) -> list[Task]:
    """The tasks that a team can answer; ``wanted`` limits them to some tasks, entries or goals.

    A team does not attack its own release.
    """
    tasks = {task.name: task for task in folder.read(track).tasks_for(team)}
    if not tasks or track.takes_program("guess", team):
        raise Refused(f"track {track.id} has no open tasks that teams answer with files")
    names = {name: {name, task.entry, task.goal} - {""} for name, task in tasks.items()}
    known = set[str]().union(*names.values())
    for name in wanted:
        if name not in known:
            raise Refused(f"unknown task {name!r}{suggestion(name, sorted(known))}")
    return [task for name, task in tasks.items() if not wanted or names[name] & set(wanted)]


def require_team(track: Track, team: str) -> None:
    """Refuse to answer for nobody where files or questions belong to a team."""
    if team == ANYBODY and "{attacker}" in track.files.guess:
        raise Refused(f"answers are called {track.files.guess}: name your team with --team")
    if team == ANYBODY and track.asks_each:
        raise Refused("every team has questions of its own: name your team with --team")


def answer(
    folder: Folder,
    track: Track,
    spec: Spec,
    *,
    team: str = ANYBODY,
    tasks: Collection[str] = (),
    seed: int = 0,
    executor: Executor = SERIAL,
) -> dict[str, bytes]:
    """An attack's answers to the open tasks, as files under the names that the rules ask for."""
    require_team(track, team)
    attack = cast(Attack, build("attack", spec))  # reports a wrong parameter before any work
    several = open_tasks(folder, track, team, tasks)
    chosen = [t for t in several if track.aim(t.goal).is_answered_by(attack)] or several
    work = partial(_answer, folder.root, track.id, spec, seed, team)
    answers = tracked(executor.run(work, chosen), "attacks", len(chosen))
    contents = dict(answers)
    return {guess_file(track, task, team): contents[task.name] for task in chosen}


def _answer(
    root: Path, track_id: str, spec: Spec, seed: int, team: str, task: Task
) -> tuple[str, bytes]:
    folder = Folder(root)
    track = folder.edition().track_by_id(track_id)
    part = cast(Attack, build("attack", spec))
    rng = SeedTree.from_int(seed).rng(track_id, part.id, task.name)
    with explain_crash(f"{part.id} on {task.name}"):
        situation = situation_for(folder, track, task, team)
        guess = play_or_raise(part, situation, rng=rng)
    return task.name, csv_bytes(guess.table, header=track.files.header)


def situation_for(folder: Folder, track: Track, task: Task, team: str) -> Situation:
    """A task, with what the model answered to the team's own queries, if the kit has that."""
    situation, own = situation_of(folder, track, task), folder.at(paths.own_answers(task, team))
    if not own.is_file():
        return situation
    release, schema = situation.release, track.published_schema(folder.private_schema(track))
    more = as_model(read_trusted(own, schema))
    return replace(
        situation, release=replace(release, data=join_answers(as_model(release.data), more))
    )


def release(
    folder: Folder,
    track: Track,
    spec: Spec,
    *,
    team: str,
    sample: int | None = None,
    seed: int | None = None,
) -> dict[str, bytes]:
    """A release of a team's private sample, and its card, under the names the rules ask for.

    Without a seed the noise comes from the operating system. With a seed it protects nobody.
    """
    if not track.teams_release:
        raise Refused(f"in track {track.id} teams make no releases")
    part = cast(Sanitizer, build("sanitizer", spec))
    if sample not in track.choices:
        raise Refused(_which_sample(track))
    private = _private(folder, track, team, sample)
    rng = np.random.default_rng(seed)
    noise = Noise.from_os() if seed is None else Noise.for_test(seed)
    with explain_crash(f"{part.id} on {track.id}"):
        made = sanitize(part, private, rng=rng, noise=noise)
        content = release_bytes(track, made.release.data, made.trace.origins, private)
    return {
        release_file(track, team, sample): content,
        paths.CARD: ReleaseCard.of(made.release).to_bytes(),
    }


def follow(
    folder: Folder, track: Track, recipe: Path, *, team: str, seed: int | None = None
) -> dict[str, bytes]:
    """What a recipe makes of a team's private sample: the release, its card and a log.

    The judge draws other noise, and holds the recipe to the same limits.
    """
    contract = contract_for(track, "release")
    if not isinstance(contract, ReleaseContract) or contract.is_code:
        raise Refused(f"in track {track.id} teams submit no recipes: name a sanitizer with --use")
    program, faults = {recipe.name: recipe.read_bytes()}, Faults(recipe.name)
    contract.check("release", program, faults)
    faults.raise_if_any(SubmissionError)
    private = _private(folder, track, team, None)
    contract.check_columns(program, private.schema, faults)
    faults.raise_if_any(SubmissionError)
    draws = Draws.fresh() if seed is None else Draws.for_test(seed)
    try:
        made = contract.release(program, private, draws=draws, sandbox=no_sandbox(team))
    except ProgramError as problem:
        raise Refused(f"{recipe.name}: {problem.details}") from None
    assert made.card is not None  # the judge's own parts know what they did
    return {
        release_file(track, team): release_bytes(track, made.data, made.origins, private),
        paths.CARD: made.card.to_bytes(),
        paths.RECIPE_LOG: made.log,
    }


def _private(folder: Folder, track: Track, team: str, sample: int | None) -> Data:
    """The private sample of a team that a kit has."""
    if not folder.at(paths.team_sample(team, track.id, sample)).is_file():
        raise FolderError(f"this kit has no private sample of team {team!r} for track {track.id}")
    return folder.private(track, Task(track.id, team), sample)


def _which_sample(track: Track) -> str:
    if track.samples == 1:
        return "there is no choice among samples here: leave --sample out"
    return f"choose one of your samples: --sample 1 to --sample {track.samples}"
