"""Inquiry: a question with everything that attackers may know, and what an attack answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quintain.attacks import Attack, ThreatModel, attack
from quintain.attacks.threat import Fact, SanitizerCode
from quintain.audits.finding import NotComputed
from quintain.data import Data
from quintain.errors import DataError, KnowledgeError, MissingExtra, PartError
from quintain.guesses import Goal, Question, Truth
from quintain.measures import Case
from quintain.releases import Release

_BASE: frozenset[Fact] = frozenset({"base"})
_OF_SANITIZER: frozenset[Fact] = frozenset({"parameters", "code"})


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry:
    """A question about a release, and what attackers may know beside it.

    Parameters
    ----------
    base : the people among whom the targets are.
    code, parameters : the sanitizer, for attacks that run it on other data; None if nobody has it.
    """

    goal: Goal
    question: Question
    truth: Truth
    release: Release
    base: Data
    code: SanitizerCode | None = None
    parameters: Mapping[str, Any] | None = None

    def threat(self, attacker: Attack) -> ThreatModel:
        """The threat model of an attack: it gets what it needs, if that is there, and no more.

        Who must name rows of the base data gets these data in any case.
        """
        there = _BASE | (_OF_SANITIZER if self.code is not None else frozenset())
        always = frozenset() if self.goal.by_target else _BASE
        return ThreatModel.giving(self.goal, attacker.needs & there | always)

    def answer(self, attacker: Attack, *, rng: np.random.Generator) -> Case | NotComputed:
        """Let an attack answer, or say why it cannot."""
        knowledge = self.threat(attacker).knowledge(
            self.question, base=self.base, parameters=self.parameters, code=self.code
        )
        try:
            return Case(self.truth, attack(attacker, knowledge, self.release, rng=rng))
        except (PartError, KnowledgeError, DataError, MissingExtra) as error:
            return NotComputed(what=attacker.name(), reason=str(error))
