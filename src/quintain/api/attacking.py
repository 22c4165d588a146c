"""Attacking: run an attack on a release that is given as a data frame."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from quintain.api.inputs import common_schema, names_of, recoded, unpacked
from quintain.api.parts import chosen
from quintain.api.questions import GoalName, fitting_goal, make_question
from quintain.attacks.attack import Attack
from quintain.attacks.attack import attack as run
from quintain.attacks.threat import Knowledge
from quintain.data import Learned, Schema, as_table
from quintain.guesses import Guess
from quintain.releases import Release
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shadow import Shadow


def attack(
    attacker: str | Attack | type[Attack],
    release: Any,
    *,
    targets: Any,
    population: Any = None,
    goal: GoalName | None = None,
    secret: str = "",
    known: list[str] | None = None,
    sanitizer: Sanitizer | None = None,
    schema: Schema | Learned | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> Guess:
    """Attack a release: guess who was in the data, a secret of theirs, or which row is whose.

    Parameters
    ----------
    attacker : the name of an attack such as "nearest", an attack, or its class.
    release : what was published, as a release, a data frame, or data with a schema.
    targets : one record per target. The guess numbers them from 0, in this order.
    population : records of the population that the private data came from, for attacks that
        need them.
    goal : "membership": which targets were in the data? "attribute": what is their ``secret``?
        "published-row": which row of the release is theirs? By default, what ``secret`` and the
        attack suggest.
    secret : the column to infer, for "attribute".
    known : for "attribute" and "published-row", the columns of the targets that the attacker
        knows; by default all except the secret. The targets may lack the others.
    sanitizer : the sanitizer that made the release, for attacks that run it themselves.
    schema : the columns; by default they are learned from all given data together.
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
    part = cast(Attack, chosen("attack", attacker, parameters))
    goal_name = fitting_goal(part, goal, secret)
    shown, others = unpacked(release), {"targets": unpacked(targets)}
    if population is not None:
        others["population"] = unpacked(population)
    unknown = () if known is None else set(names_of(shown)) - set(known)
    common = common_schema(shown, others, schema, {secret, *unknown})
    data = recoded(shown, common)
    knowledge = Knowledge(
        make_question(goal_name, unpacked(targets), data, secret, known),
        None if population is None else recoded(unpacked(population), common),
        None if sanitizer is None else sanitizer.spec(),
        None if sanitizer is None else Shadow(sanitizer),
    )
    made = Release(data)
    if published:  # without anything else that a notebook keeps beside a release
        made = Release(data, published.claim, published.methods, models=published.models)
    return _in_order(run(part, knowledge, made, rng=np.random.default_rng(seed)))


def _in_order(guess: Guess) -> Guess:
    """The guess in the order of the targets; attacks sort the target numbers as texts."""
    table = as_table(guess.table)
    return type(guess)(table.take(np.argsort(table.columns["target"].astype(np.int64))))
