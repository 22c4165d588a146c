"""Attacking: run an attack on a release that is given as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from quintain.api.inputs import AnyData, read_together, unpack_release
from quintain.api.parts import choose_part
from quintain.api.people import (
    AnyPeopleSchema,
    is_of_people,
    read_people_together,
    schema_of_one_table,
)
from quintain.api.questions import Asked, GoalName, ask_about_people
from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Learned, Schema, as_table, shape_of
from quintain.guesses import Goal, Guess
from quintain.plays import Situation, play_or_raise
from quintain.releases import Release, publish
from quintain.sanitizers.sanitizer import Sanitizer, Shadow


def attack(
    attacker: str | Attack | type[Attack],
    release: AnyData,
    *,
    targets: AnyData | Sequence[AnyData] | None = None,
    population: AnyData | None = None,
    goal: GoalName | Goal | None = None,
    secret: str | Sequence[str] = "",
    known: Sequence[str] | None = None,
    sanitizer: Sanitizer | None = None,
    schema: Schema | Learned | AnyPeopleSchema | None = None,
    header: bool | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> Guess:
    """Attack a release: guess who was in the data, a secret of theirs, or which row is whose.

    Parameters
    ----------
    attacker : the name of an attack such as "nearest", an attack, or its class.
    release : what was published, as a release, a data frame, data with a schema, or the path of a
        file. Several tables about the same people are data frames by name, or the path of a folder.
    targets : one record per target. The guess numbers them from 0, in this order. For a release of
        several tables, tables with the known rows of the targets; some tables may be missing. For
        "linkability", a pair of frames: the left and the right halves of the targets.
    population : records of the population that the private data came from, for goals and attacks
        that need them.
    goal : the name of a goal, or a goal with parameters, such as
        ``q.guesses.SinglingOut(predicates=20)``. By default, what ``secret`` and the attack
        suggest. "membership": which targets were in the data? "attribute": what is their
        ``secret``? "hidden-columns": what are their several secrets? "reconstruction": the same
        with a control group among the targets. "published-row": which row of the release is theirs?
        "linkability": which right half belongs to which left half? "membership-set": which rows of
        the population were in the data? "singling-out": descriptions that fit exactly one person.
        "linkage": the pseudonym of each person of the population in each month, for transactions.
        "naming": which pseudonym is theirs, for several tables.
    secret : the column to infer, or the columns for "hidden-columns" and
        "reconstruction".
    known : for secrets and published rows, the columns of the targets that the attacker knows; by
        default all except the secrets. The targets may lack the others.
    sanitizer : the sanitizer that made the release, for attacks that run it themselves.
    schema : the columns, or the path of a file with them; by default they are learned from all
        given data together.
    header : whether the first rows of files have the column names, if they look like the others.
    seed : the same seed gives the same guess.
    parameters : the parameters of the attack.

    >>> import pyarrow as pa
    >>> release = pa.table({"sex": ["f", "m"], "age": [30, 61]})
    >>> targets = pa.table({"sex": ["m", "f"], "age": [61, 45]})
    >>> guess = attack("nearest", release, targets=targets, seed=0)
    >>> guess.table.columns["probability"].tolist()
    [0.75, 0.25]
    """
    published = release if isinstance(release, Release) else None
    part = cast(Attack, choose_part("attack", attacker, parameters))
    if is_of_people(release):
        return _attack_people(
            part,
            release,
            targets=targets,
            population=population,
            goal=goal,
            schema=schema,
            seed=seed,
        )
    request = Asked.of(
        part,
        goal,
        targets=targets,
        population=population,
        secret=secret,
        known=known,
        header=header,
    )
    given = {"release": unpack_release(release), **request.frames()}
    stated = schema_of_one_table(schema)
    read = read_together(given, stated, request.columns_not_shown(given["release"]), header)
    data, rng = read["release"], np.random.default_rng(seed)
    if shape_of(data).deletes_in_place:  # without deleted rows, in an order that tells nothing
        data = publish(data, rng=rng)
    goal_part, question = request.question(data, read.get("targets"), read.get("population"))
    knowledge = Knowledge(
        question,
        read.get("population"),
        None if sanitizer is None else sanitizer.spec(),
        None if sanitizer is None else Shadow(sanitizer),
    )
    made = Release(data)
    if published:  # without anything else that a notebook keeps beside a release
        claim, methods, models = published.claim, published.methods, published.models
        made = Release(data, claim, methods, models=models, weights=published.weights)
    return _in_order(play_or_raise(part, Situation(goal_part, made, knowledge), rng=rng))


def _attack_people(
    part: Attack,
    release: AnyData,
    *,
    targets: Any,
    population: Any,
    goal: GoalName | Goal | None,
    schema: Any,
    seed: int | None,
) -> Guess:
    """Attack a release of several tables about the same people."""
    given = {"release": release, "targets": targets, "population": population}
    read = read_people_together(
        {role: unpack_release(data) for role, data in given.items() if data is not None}, schema
    )
    goal_part, question = ask_about_people(part, goal, read["release"], read.get("targets"))
    knowledge = Knowledge(question, read.get("population"))
    made = Release(read["release"])
    if isinstance(release, Release):
        made = Release(made.data, release.claim, release.methods, models=release.models)
    situation = Situation(goal_part, made, knowledge)
    return _in_order(play_or_raise(part, situation, rng=np.random.default_rng(seed)))


def _in_order(guess: Guess) -> Guess:
    """The guess in the order of the targets, if there are any; attacks sort numbers as texts."""
    table = as_table(guess.table)
    if "target" not in table.schema:
        return guess
    return type(guess)(table.take(np.argsort(table.columns["target"].astype(np.int64))))
