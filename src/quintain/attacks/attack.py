"""Attack: what an attacker knows in, a guess out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from quintain.data import Data, Table, as_table
from quintain.data.schema import Shape
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, Question
from quintain.registry import Part
from quintain.releases import Release

Given = Literal["base", "parameters", "code", "methods", "claim"]
"""What an edition may give attackers beside the release and the question.

base: the population the private sample was drawn from. parameters: which sanitizer was run, with
which parameters. code: the sanitizer itself, to run on data of one's own. methods: what was done,
as in a questionnaire. claim: the privacy claimed.
"""


class Sanitizing(Protocol):
    """The attacked sanitizer, to be run on data of the attacker's own."""

    def __call__(self, data: Data, *, rng: np.random.Generator) -> Release:
        """A shadow release, with the focal points its sanitizer chose."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """What an attacker is handed; what the edition does not give is None."""

    question: Question
    base: Data | None = None
    parameters: Mapping[str, Any] | None = None
    code: Sanitizing | None = None

    def population(self) -> Table:
        """The base data as a table; refused if the edition does not give them."""
        if self.base is None:
            raise KnowledgeError("the base data are not given to attackers")
        return as_table(self.base)


class Attack(Part, ABC):
    """Guesses what a release was meant to hide.

    Attributes
    ----------
    shapes : the kinds of data it can attack.
    answers : the kinds of question it can answer.
    needs : what it must be given beside release and question.
    blind : it looks at nothing, so what it scores is luck.
    """

    family: ClassVar[str] = "attack"
    shapes: ClassVar[tuple[Shape, ...]] = ("table",)
    answers: ClassVar[tuple[type[Question], ...]]
    needs: ClassVar[frozenset[Given]] = frozenset()
    blind: ClassVar[bool] = False

    @abstractmethod
    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Answer the question."""


def attack(
    attacker: Attack, knowledge: Knowledge, release: Release, *, rng: np.random.Generator
) -> Guess:
    """Run an attack as an edition does, with what the edition gives and nothing else."""
    if not isinstance(knowledge.question, attacker.answers):
        kinds = " or ".join(kind.__name__ for kind in attacker.answers)
        raise KnowledgeError(
            f"{attacker.id} answers a {kinds}, not a {type(knowledge.question).__name__}"
        )
    shape = release.data.schema.shape
    if shape not in attacker.shapes:
        raise KnowledgeError(f"{attacker.id} attacks {' or '.join(attacker.shapes)}, not {shape}")
    missing = [need for need in sorted(attacker.needs) if not _has(knowledge, release, need)]
    if missing:
        raise KnowledgeError(f"{attacker.id} needs {', '.join(missing)}, which is not given")
    return attacker.infer(knowledge, release.published(), rng=rng)


def _has(knowledge: Knowledge, release: Release, need: Given) -> bool:
    if need in ("methods", "claim"):
        return bool(getattr(release, need))
    return getattr(knowledge, need) is not None
