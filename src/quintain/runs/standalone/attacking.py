"""Attacking: run one attack on one published file or on several tables, without a contest."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from quintain.api.attacking import attack as attack_data
from quintain.api.questions import GoalName, asks_about_targets
from quintain.attacks import Attack, Knowledge
from quintain.contests import Track
from quintain.data import Data, Schema, as_table, shape_of
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import LearnedSchema, learn
from quintain.errors import DataError, Fault, Faults, KnowledgeError
from quintain.guesses import Goal, Guess, Question
from quintain.jobs.job import explain_crash
from quintain.plays import Situation, play_or_raise
from quintain.registry import build
from quintain.releases import Release, publish
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.standalone.reading import (
    OTHERWISE,
    cells_of,
    population_schema,
    track_schema,
)
from quintain.runs.submissions.admission import choose_aim
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.sanitizer import Shadow

Spec = Mapping[str, Any]
"""A part as an edition would name it."""


@dataclass(frozen=True, slots=True)
class Files:
    """What an attacker has: the release, and perhaps targets and a population.

    ``right`` has the right halves of the targets, for linkability.
    """

    release: Path
    targets: Path | None = None
    population: Path | None = None
    right: Path | None = None

    def by_role(self) -> dict[str, Path]:
        """The files that there are, by what they are."""
        named = {
            "release": self.release,
            "targets": self.targets,
            "population": self.population,
            "right": self.right,
        }
        return {name: path for name, path in named.items() if path is not None}


def attack_by_rules(
    track: Track,
    files: Files,
    spec: Spec,
    *,
    goal: str | None = None,
    code: Spec | None = None,
    seed: int = 0,
) -> bytes:
    """The answer of an attack as a file that an edition takes; raises with every fault.

    Parameters
    ----------
    track : the rules that say what is asked, which columns there are and how files are written.
    files : the targets are a question file of the contest; some goals need none.
    spec, code : the attack, and the sanitizer that the attacker may run.
    goal : the id of the goal, if the track has several.
    """
    aim = choose_aim(track, goal)
    part, sanitizer = _parts(spec, code, files)
    schema, faults = track_schema(track), Faults()
    wanted = {"release": schema.private, "targets": aim.goal.question_schema(schema)}
    if files.population is not None:
        wanted["population"] = population_schema(files.population, track)
    read = {name: cells_of(p, wanted[name], track, faults) for name, p in files.by_role().items()}
    faults.raise_if_any(DataError)
    data = {name: cells.data() for name, cells in read.items() if cells is not None}
    knowledge = Knowledge(
        _question(aim.goal, data, schema),
        data.get("population"),
        None if sanitizer is None else sanitizer.spec(),
        None if sanitizer is None else Shadow(sanitizer),
    )
    rng = np.random.default_rng(seed)
    situation = Situation(aim.goal, Release(_publish(data["release"], rng)), knowledge)
    with explain_crash(part.id):
        guess = play_or_raise(part, situation, rng=rng)
    return csv_bytes(guess.table, header=track.files.header)


def attack_own(
    files: Files,
    spec: Spec,
    *,
    schema: Path | None = None,
    header: bool | None = None,
    code: Spec | None = None,
    goal: GoalName | Goal | None = None,
    secret: Sequence[str] = (),
    known: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[Guess, tuple[str, ...]]:
    """The answer of an attack on somebody's own release, and what the attacker should know.

    Raises with every fault of all files.

    Parameters
    ----------
    files : without targets, the attack is about everybody in the population.
    schema : the file with the columns; by default they are learned from all files together.
    header : whether the first rows of the files have the column names.
    goal, secret, known : what is asked; see :func:`quintain.attack`.
    """
    part, sanitizer = _parts(spec, code, files)
    about_targets = asks_about_targets(part, goal, secret)
    if about_targets and files.targets is None and files.population is None:
        raise KnowledgeError("an attack is about people: give --targets, --population or both")
    release = InputTable.of(files.release, header=header)
    stated = None if schema is None else learn(release, stated=schema).schema
    data, cautions = _read_own(files.by_role(), stated, header)
    targets: Any = data.get("targets")
    if "right" in data:
        targets = (targets, data["right"])
    else:
        _require_columns(files, data, {*secret, *_unknown(data["release"], known)})
        if about_targets:
            targets = data.get("targets", data.get("population"))
    with explain_crash(part.id):
        guess = attack_data(
            part,
            data["release"],
            targets=targets,
            population=data.get("population"),
            goal=goal,
            secret=secret,
            known=None if known is None else list(known),
            sanitizer=sanitizer,
            schema=None if stated is None else stated.private,
            seed=seed,
        )
    return guess, cautions


def attack_tables(
    release: Path | str,
    spec: Spec,
    *,
    targets: Path | str | None = None,
    population: Path | str | None = None,
    schema: Path | None = None,
    goal: GoalName | Goal | None = None,
    seed: int = 0,
) -> tuple[Guess, tuple[str, ...]]:
    """The answer of an attack on a release of several tables, and what the attacker should know.

    Raises with every fault of all tables.

    Parameters
    ----------
    release, targets, population : folders or archives with one file per table, or addresses of
        databases; targets may lack tables of the release.
    """
    part = cast(Attack, build("attack", spec))
    given: dict[str, Any] = {"targets": targets, "population": population, "schema": schema}
    with explain_crash(part.id), warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", LearnedSchema)
        guess = attack_data(part, release, **given, goal=goal, seed=seed)
    return guess, tuple(str(warning.message) for warning in notes)


def _publish(data: Data, rng: np.random.Generator) -> Data:
    """What attackers get of a file that a team submits; row numbers of a plain table stay."""
    return data if shape_of(data).row_is_person else publish(data, rng=rng)


def _parts(spec: Spec, code: Spec | None, files: Files) -> tuple[Attack, Sanitizer | None]:
    """The attack and the sanitizer; raises for everything that the attack needs and nobody gave."""
    part = cast(Attack, build("attack", spec))
    missing = []
    if "base" in part.needs and files.population is None:
        missing.append("a population: give --population")
    if part.needs & {"code", "parameters"} and code is None:
        missing.append("the sanitizer that made the release: give --code")
    if missing:
        raise KnowledgeError(f"{part.id} needs {', and '.join(missing)}")
    return part, None if code is None else cast(Sanitizer, build("sanitizer", code))


def _question(goal: Goal, data: Mapping[str, Data], schema: Schema) -> Question:
    if "targets" in data:
        return goal.question(as_table(data["targets"]), schema)
    question = None if "population" not in data else goal.question_about(data["population"])
    if question is None:
        raise KnowledgeError(f"{goal.id} asks about targets: give the question file with --targets")
    return question


def _read_own(
    paths: Mapping[str, Path], stated: Schema | None, header: bool | None
) -> tuple[dict[str, Data], tuple[str, ...]]:
    """The records of all files, and what their owner should know; raises with all faults."""
    tables = [InputTable.of(path, role, header=header) for role, path in paths.items()]
    if stated is None:
        learned = learn(*tables)
        data = {table.role: learned.read(table) for table in tables}
        unused = learned.tell_left_out("used", OTHERWISE)
        return data, (unused,) if unused else ()
    data = {}
    faults: list[Fault] = []
    for table in tables:
        names = table.names()
        shared = [name for name in stated.private.names if name in names]
        try:
            data[table.role] = table.read(stated.private.select(shared))
        except DataError as error:
            faults += error.faults
    if faults:
        raise DataError(faults)
    return data, ()


def _unknown(release: Data, known: Sequence[str] | None) -> set[str]:
    return set() if known is None else set(release.schema.names) - set(known)


def _require_columns(files: Files, data: Mapping[str, Data], hidden: Collection[str]) -> None:
    """Raise for every column of the release that another file lacks."""
    lacking = [
        Fault(
            "the release has this column; with --secret or --knows, targets may lack some",
            path.name,
            column=name,
        )
        for role, path in files.by_role().items()
        for name in data["release"].schema.names
        if name not in data[role].schema and name not in hidden
    ]
    if lacking:
        raise DataError(lacking)
