"""Track goal: one goal of a track, with what its attackers know.

Most tracks have one goal, written ``goal = { use = "membership" }``. A track with several goals
lists them, each with an id. Teams hand over one release, attackers answer one question per goal
about it, and boards read ``member.auc``: the id of the goal, a dot and the name of the reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from quintain.attacks import Attack, Fact, ThreatModel
from quintain.contests.fields import EditionTable, part_field, part_of
from quintain.errors import Fault, FaultyValue
from quintain.guesses import Goal
from quintain.registry import fault_of
from quintain.samples import Sample

AIMED = ("id", "knowledge", "targets")
"""Keys of a goal's table that are not parameters of the goal."""

_ID = r"^[a-z][a-z0-9_]{0,31}$"


class KnowledgeGiven(EditionTable):
    """The facts that attackers get in addition to the release and the question."""

    gives: tuple[Fact, ...] = ("base", "parameters", "code", "methods", "claim")


def _checked_goal_id(text: str) -> str:
    """The id of a goal, which stands before the dot in formulas and at the end of file names."""
    if not re.fullmatch(_ID.strip("^$"), text):
        raise ValueError(
            "use up to 32 lower-case letters, digits and '_' for the id of a goal, a letter first"
        )
    return text


GoalId = Annotated[
    str, AfterValidator(_checked_goal_id), WithJsonSchema({"type": "string", "pattern": _ID})
]


def _is_none(value: object) -> bool:
    return value is None


class TrackGoal(EditionTable):
    """One goal of a track: ``{id, knowledge, use, parameters...}``.

    Parameters
    ----------
    id : the name of the goal in file names, measures, phases and formulas; the only goal of a track
        has none.
    knowledge : what attackers know who pursue it, if that is not what the track says.
    targets : the share of the targets about whom it asks; by default all. Goals that have a share
        ask about different targets, so that no question tells the answer to another.
    """

    id: GoalId
    goal: Annotated[Goal, *part_field("goal", AIMED)]
    knowledge: KnowledgeGiven | None = Field(default=None, exclude_if=_is_none)
    targets: Annotated[float, Field(gt=0, lt=1)] | None = Field(default=None, exclude_if=_is_none)
    _weights: bool = PrivateAttr(default=False)

    @model_validator(mode="before")
    @classmethod
    def _split(cls, table: Any) -> Any:
        if not isinstance(table, Mapping) or "goal" in table:
            return table
        own = {key: table[key] for key in AIMED if key in table}
        return {"goal": {k: v for k, v in table.items() if k not in own}, **own}

    @classmethod
    def only(cls, goal: Goal) -> TrackGoal:
        """The aim of a track that has a single goal."""
        return cls.model_construct(id="", goal=goal, knowledge=None, targets=None)

    def within(self, knowledge: KnowledgeGiven, *, weights: bool) -> TrackGoal:
        """The aim with what its track says: about knowledge, where the goal itself says nothing.

        ``weights`` says whether attackers get the weights of the released models.
        """
        aim = self.model_copy(update={"knowledge": self.knowledge or knowledge})
        aim._weights = weights
        return aim

    @property
    def threat(self) -> ThreatModel:
        """The attackers against whom releases must protect: their goal and what they know."""
        facts: list[Fact] = list((self.knowledge or KnowledgeGiven()).gives)
        return ThreatModel.giving(self.goal, [*facts, "weights"] if self._weights else facts)

    @property
    def summary(self) -> str:
        """What is asked for, in a sentence that begins with the id if there is one."""
        return f"{self.id}: {self.goal.summary()}" if self.id else self.goal.summary()

    def is_answered_by(self, attack: Attack) -> bool:
        """Whether an attack can answer the question of the goal."""
        return issubclass(self.goal.asks, attack.answers)


def split_targets(
    aims: Sequence[TrackGoal], sample: Sample, *, rng: np.random.Generator
) -> Iterator[tuple[TrackGoal, Sample]]:
    """Each goal, and the sample with the targets about whom it asks.

    >>> from quintain.guesses import Membership
    >>> from quintain.testing.examples import experiment
    >>> halves = [TrackGoal(id=name, goal=Membership(), targets=0.5) for name in ("one", "two")]
    >>> parts = split_targets(halves, experiment()[0], rng=np.random.default_rng(1))
    >>> [len(part.members) for _, part in parts]
    [15, 15]
    """
    count, used = len(sample.members), 0
    order = rng.permutation(count) if any(aim.targets for aim in aims) else np.arange(count)
    for aim in aims:
        if aim.targets is None:
            yield aim, sample
            continue
        size = max(round(aim.targets * count), 1)
        yield aim, sample.about(np.sort(order[used : used + size]))
        used += size


def _read_goals(value: Any) -> Any:
    """One goal from its table, or one aim for each table of a list; raises with every fault."""
    if not isinstance(value, list | tuple):
        return part_of("goal")(value)
    aims, faults = [], [] if value else [Fault("expected at least one goal")]
    for number, table in enumerate(value):
        try:
            aims.append(TrackGoal.model_validate(table))
        except ValidationError as error:
            faults += _faults_of(error, number)
    if faults:
        raise FaultyValue(tuple(faults))
    return tuple(aims)


def _faults_of(error: ValidationError, number: int) -> Iterator[Fault]:
    """The faults of one goal of a list, each at its key."""
    for item in error.errors():
        carried = item.get("ctx", {}).get("error")
        faults = (fault_of(item, tuple(TrackGoal.model_fields), "key"),)
        for fault in carried.faults if isinstance(carried, FaultyValue) else faults:
            steps = (number, *(() if fault.column is None else (fault.column,)))
            yield replace(fault, column=".".join(map(str, steps)))


_PART = {"x-part": "goal"}

Goals = Annotated[
    Goal | tuple[TrackGoal, ...],
    BeforeValidator(_read_goals),
    WithJsonSchema({"anyOf": [_PART, {"type": "array", "items": _PART, "minItems": 1}]}),
]
"""The goal of a track, or the list of its goals."""
