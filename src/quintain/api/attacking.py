"""Attacking: run an attack on a release that is given as a data frame."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from quintain.api.inputs import common_schema, recoded, unpacked
from quintain.api.parts import chosen
from quintain.attacks.attack import Attack
from quintain.attacks.attack import attack as run
from quintain.attacks.threat import Knowledge
from quintain.data import Data, Learned, Schema, as_table
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, Question
from quintain.guesses.attribute import Attribute
from quintain.guesses.goal import target_table
from quintain.guesses.membership import MembershipQuestion
from quintain.releases import Release
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shadow import Shadow


def attack(
    attacker: str | Attack | type[Attack],
    release: Any,
    *,
    targets: Any,
    population: Any = None,
    secret: str = "",
    known: list[str] | None = None,
    sanitizer: Sanitizer | None = None,
    schema: Schema | Learned | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> Guess:
    """Attack a release: guess which targets were in the private data, or what their secret is.

    Parameters
    ----------
    attacker : the name of an attack such as "nearest", an attack, or its class.
    release : what was published, as a release, a data frame, or data with a schema.
    targets : one record per target. The guess numbers them from 0, in this order.
    population : records of the population that the private data came from, for attacks that
        need them.
    secret : the column to infer. Without it, the question is which targets were in the data.
    known : the columns of the targets that the attacker knows; by default all except the secret.
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
    shown, others = unpacked(release), [unpacked(targets)]
    if population is not None:
        others.append(unpacked(population))
    common = common_schema(shown, others, schema, secret)
    data = recoded(shown, common)
    part = cast(Attack, chosen("attack", attacker, parameters))
    knowledge = Knowledge(
        _question(unpacked(targets), common, secret, known),
        None if population is None else recoded(unpacked(population), common),
        None if sanitizer is None else sanitizer.spec(),
        None if sanitizer is None else Shadow(sanitizer),
    )
    made = Release(data, published.claim, published.methods) if published else Release(data)
    return _in_order(run(part, knowledge, made, rng=np.random.default_rng(seed)))


def _question(targets: Any, schema: Schema, secret: str, known: list[str] | None) -> Question:
    if not secret:
        records = recoded(targets, schema)
        return MembershipQuestion(_numbered(records, ""))
    if secret not in schema:
        available = ", ".join(schema.names)
        raise KnowledgeError(f"unknown column to infer {secret!r}; available: {available}")
    names = [n for n in schema.names if n != secret and (known is None or n in known)]
    unknown = sorted(set(known or ()) - set(schema.names))
    if unknown:
        available = ", ".join(schema.names)
        raise KnowledgeError(
            f"unknown columns {', '.join(unknown)} in known; available: {available}"
        )
    if not names:
        raise KnowledgeError("the attacker knows no column of the targets: name some in known")
    records = recoded(targets, schema.select(names))
    return Attribute(column=secret).question(_numbered(records, secret), schema)


def _numbered(records: Data, hidden: str) -> Any:
    numbers = np.arange(len(records))
    return target_table(records, numbers, numbers, hidden)


def _in_order(guess: Guess) -> Guess:
    """The guess in the order of the targets; attacks sort the target numbers as texts."""
    table = as_table(guess.table)
    return type(guess)(table.take(np.argsort(table.columns["target"].astype(np.int64))))
