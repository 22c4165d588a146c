"""Attacking: run one attack on one published file, without a contest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from quintain.api.attacking import attack as attack_data
from quintain.attacks import Attack, Knowledge, attack
from quintain.contests import Track
from quintain.data import Data, Schema, Table, as_table
from quintain.errors import DataError, Fault, Faults, KnowledgeError
from quintain.guesses import Guess, Question
from quintain.jobs.failure import explained
from quintain.registry import build
from quintain.releases import Release, publish
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.standalone.reading import (
    cells_of,
    population_schema,
    read_part_of,
    schema_of,
    track_schema,
)
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.shadow import Shadow

Spec = Mapping[str, Any]
"""A part as an edition would name it."""


@dataclass(frozen=True, slots=True)
class Files:
    """What an attacker has: the release, and perhaps targets and a population."""

    release: Path
    targets: Path | None = None
    population: Path | None = None

    def given(self) -> dict[str, Path]:
        """The files that there are, by what they are."""
        named = {
            "release": self.release,
            "targets": self.targets,
            "population": self.population,
        }
        return {name: path for name, path in named.items() if path is not None}


def attack_by_rules(
    track: Track, files: Files, spec: Spec, *, code: Spec | None = None, seed: int = 0
) -> bytes:
    """The answer of an attack as a file that an edition takes; raises with every fault.

    Parameters
    ----------
    track : the rules that say what is asked, which columns there are and how files are written.
    files : the targets are a question file of the contest; some goals need none.
    spec, code : the attack, and the sanitizer that the attacker may run.
    """
    part, sanitizer = _parts(spec, code, files)
    schema, faults = track_schema(track), Faults()
    wanted = {"release": schema.private, "targets": track.goal.question_schema(schema)}
    if files.population is not None:
        wanted["population"] = population_schema(files.population, track)
    read = {name: cells_of(p, wanted[name], track, faults) for name, p in files.given().items()}
    faults.raise_if_any(DataError)
    data = {name: cells.data() for name, cells in read.items() if cells is not None}
    knowledge = Knowledge(
        _question(track, data, schema),
        data.get("population"),
        None if sanitizer is None else sanitizer.spec(),
        None if sanitizer is None else Shadow(sanitizer),
    )
    rng = np.random.default_rng(seed)
    with explained(part.id):
        guess = attack(part, knowledge, Release(_published(data["release"], rng)), rng=rng)
    return csv_bytes(guess.table, header=track.files.header)


def attack_own(
    files: Files,
    spec: Spec,
    *,
    schema: Path | None = None,
    code: Spec | None = None,
    secret: str = "",
    known: Sequence[str] | None = None,
    seed: int = 0,
) -> Guess:
    """The answer of an attack on somebody's own release; raises with every fault of all files.

    Parameters
    ----------
    files : without targets, the attack is about everybody in the population.
    schema : the file with the columns; by default they are learned from all files together.
    secret, known : what is asked; see :func:`quintain.attack`.
    """
    part, sanitizer = _parts(spec, code, files)
    if files.targets is None and files.population is None:
        raise KnowledgeError("an attack is about people: give --targets, --population or both")
    stated = None if schema is None else schema_of(files.release, schema)[0]
    if stated is not None and stated.shape == "transactions":
        raise KnowledgeError("an edition says what is asked about transactions: give --edition")
    data = _each(files.given(), stated)
    _require_columns(files, data, {secret, *_unknown(data["release"], known)})
    targets = data.get("targets", data.get("population"))
    with explained(part.id):
        return attack_data(
            part,
            data["release"],
            targets=targets,
            population=data.get("population"),
            secret=secret,
            known=None if known is None else list(known),
            sanitizer=sanitizer,
            schema=None if stated is None else stated.private,
            seed=seed,
        )


def _published(data: Data, rng: np.random.Generator) -> Data:
    """What attackers get of a file that a team submits; row numbers of a plain table stay."""
    return data if isinstance(data, Table) else publish(data, rng=rng)


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


def _question(track: Track, data: Mapping[str, Data], schema: Schema) -> Question:
    goal = track.goal
    if "targets" in data:
        return goal.question(as_table(data["targets"]), schema)
    question = None if "population" not in data else goal.question_about(data["population"])
    if question is None:
        raise KnowledgeError(f"{goal.id} asks about targets: give the question file with --targets")
    return question


def _each(paths: Mapping[str, Path], stated: Schema | None) -> dict[str, Data]:
    """The records of all files; raises with the faults of all of them."""
    data: dict[str, Data] = {}
    faults: list[Fault] = []
    for name, path in paths.items():
        read: Callable[[Path], Data] = _people if stated is None else _under(stated)
        try:
            data[name] = read(path)
        except DataError as error:
            faults += error.faults
    if faults:
        raise DataError(faults)
    return data


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
        for role, path in files.given().items()
        for name in data["release"].schema.names
        if name not in data[role].schema and name not in hidden
    ]
    if lacking:
        raise DataError(lacking)


def _under(schema: Schema) -> Callable[[Path], Data]:
    return lambda path: read_part_of(path, schema.private)


def _people(path: Path) -> Data:
    schema, _ = schema_of(path, None)
    return read_part_of(path, schema.private)
