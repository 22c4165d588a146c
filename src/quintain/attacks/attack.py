"""Attack: what an attacker knows in, a guess out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from quintain.attacks.threat import Fact, Knowledge, explain
from quintain.data.schema import Shape
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, Question
from quintain.registry import Part
from quintain.releases import Release


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
    needs: ClassVar[frozenset[Fact]] = frozenset()
    blind: ClassVar[bool] = False

    @abstractmethod
    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Answer the question."""


def attack(
    attacker: Attack, knowledge: Knowledge, release: Release, *, rng: np.random.Generator
) -> Guess:
    """Run an attack with what its threat model gives and nothing else."""
    if not isinstance(knowledge.question, attacker.answers):
        kinds = " or ".join(kind.about() for kind in attacker.answers)
        raise KnowledgeError(
            f"{attacker.id} answers questions about {kinds}, not about {knowledge.question.about()}"
        )
    shape = release.data.schema.shape
    if shape not in attacker.shapes:
        raise KnowledgeError(f"{attacker.id} attacks {' or '.join(attacker.shapes)}, not {shape}")
    missing = attacker.needs - knowledge.facts(release)
    if missing:
        raise KnowledgeError(f"{attacker.id} needs {explain(missing)}, which is not given")
    return attacker.infer(knowledge, release, rng=rng)
