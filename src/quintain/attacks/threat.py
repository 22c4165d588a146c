"""Threat model: what an attacker wants, and what they know of the data and of the sanitizer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from quintain.data import Data, Table, as_table
from quintain.data.models import shows_weights
from quintain.errors import KnowledgeError
from quintain.guesses import Goal, Question
from quintain.releases import FocalPoint, Release, Sanitized
from quintain.wording.languages import say, say_list, to_say

Fact = Literal["base", "parameters", "code", "methods", "claim", "weights"]
"""One thing that rules may give to attackers beside the release and the question. If a release is a
model, the rules for models say whether attackers have its weights (white box) or its answers to
some queries (black box)."""

FACTS: Mapping[Fact, str] = {
    "base": to_say("the population the private sample was drawn from"),
    "parameters": to_say("the sanitizer's name and parameters"),
    "code": to_say("the sanitizer's code to run on other data"),
    "methods": to_say("the methods applied"),
    "claim": to_say("the privacy claimed"),
    "weights": to_say("the weights of the model"),
}

Q = TypeVar("Q", bound=Question)


def explain(facts: Collection[Fact]) -> str:
    """Describe facts in words, in the order of :data:`FACTS`.

    >>> explain(["claim", "base"])
    'base (the population the private sample was drawn from), claim (the privacy claimed)'
    """
    return ", ".join(f"{fact} ({words})" for fact, words in FACTS.items() if fact in facts)


class SanitizerCode(Protocol):
    """The attacked sanitizer, which an attacker may run on other data."""

    def __call__(self, data: Data, *, rng: np.random.Generator) -> Sanitized:
        """Make a shadow release, and keep the trace of the run."""
        ...

    def structure(self, data: Data) -> tuple[FocalPoint, ...]:
        """What the sanitizer would choose to preserve on these data if its noise were zero."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """What an attacker gets under a threat model; everything else is None."""

    question: Question
    base: Data | None = None
    parameters: Mapping[str, Any] | None = None
    code: SanitizerCode | None = None

    def question_as(self, kind: type[Q]) -> Q:
        """The question, or a ``KnowledgeError`` if it is of another kind."""
        if not isinstance(self.question, kind):
            raise KnowledgeError(
                f"expected a question about {kind.about()}, not about {self.question.about()}"
            )
        return self.question

    def base_data(self) -> Data:
        """The base data, or a ``KnowledgeError`` if the attacker does not know them."""
        if self.base is None:
            raise KnowledgeError("attackers do not get the base data")
        return self.base

    def population(self) -> Table:
        """The base data as a table, or a ``KnowledgeError`` if the attacker does not know them."""
        return as_table(self.base_data())

    def sanitizer_code(self) -> SanitizerCode:
        """The sanitizer, or a ``KnowledgeError`` if the attacker may not run it."""
        if self.code is None:
            raise KnowledgeError("attackers do not get the sanitizer's code")
        return self.code

    def facts(self, release: Release) -> frozenset[Fact]:
        """Which facts the attacker has: separately, or on the card of the release."""
        values: Mapping[Fact, object] = {
            "base": self.base,
            "parameters": self.parameters,
            "code": self.code,
            "methods": release.methods or None,
            "claim": release.claim or release.models or None,
            "weights": True if release.weights or shows_weights(release.data) else None,
        }
        return frozenset(fact for fact, value in values.items() if value is not None)


@dataclass(frozen=True, slots=True)
class DataKnowledge:
    """What an attacker knows of the data; each field is the fact of the same name."""

    base: bool = False
    weights: bool = False


@dataclass(frozen=True, slots=True)
class SanitizerKnowledge:
    """What an attacker knows of the sanitizer; each field is the fact of the same name."""

    parameters: bool = False
    code: bool = False
    methods: bool = False
    claim: bool = False


@dataclass(frozen=True, slots=True)
class ThreatModel:
    """The attacker from whom a release must be protected.

    Parameters
    ----------
    goal : what the attacker wants to know.
    data : what they know of the data beside the release.
    sanitizer : what they know of the sanitizer.
    """

    goal: Goal
    data: DataKnowledge = DataKnowledge()
    sanitizer: SanitizerKnowledge = SanitizerKnowledge()

    @classmethod
    def giving(cls, goal: Goal, facts: Collection[Fact]) -> ThreatModel:
        """Build the threat model in which attackers get exactly these facts."""
        sanitizer = SanitizerKnowledge(
            parameters="parameters" in facts,
            code="code" in facts,
            methods="methods" in facts,
            claim="claim" in facts,
        )
        data = DataKnowledge(base="base" in facts, weights="weights" in facts)
        return cls(goal, data, sanitizer)

    @property
    def facts(self) -> frozenset[Fact]:
        """Everything that attackers get beside the release and the question."""
        return frozenset(
            fact for fact in FACTS for part in (self.data, self.sanitizer) if getattr(part, fact, 0)
        )

    def show(self, release: Release) -> Release:
        """The release as attackers see it: it keeps only the facts that they get."""
        return replace(
            release,
            claim=release.claim if self.sanitizer.claim else None,
            methods=release.methods if self.sanitizer.methods else (),
            models=release.models if self.sanitizer.claim else (),
            weights=release.weights if self.data.weights else b"",
        )

    def knowledge(
        self,
        question: Question,
        *,
        base: Data | None = None,
        parameters: Mapping[str, Any] | None = None,
        code: SanitizerCode | None = None,
    ) -> Knowledge:
        """Select what attackers get under this model from everything that is known."""
        return Knowledge(
            question,
            base if self.data.base else None,
            parameters if self.sanitizer.parameters else None,
            code if self.sanitizer.code else None,
        )

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Describe each aspect of the model in a sentence, ready to be printed as a table.

        There is nothing to describe where nobody attacks.
        """
        if self.goal.asks_nothing:
            return ()
        return (
            ("goal", say("The attacker wants to know %(wish)s.", wish=self.goal.wish())),
            ("data", _say_facts(_list_facts(self.data, [say("the release")]))),
            ("sanitizer", _say_facts(_list_facts(self.sanitizer, []))),
        )

    def __str__(self) -> str:
        return "\n".join(sentence for _, sentence in self.rows()) or self.goal.summary()


def _say_facts(facts: str) -> str:
    return say("The attacker is given %(facts)s.", facts=facts)


def _list_facts(part: DataKnowledge | SanitizerKnowledge, always: list[str]) -> str:
    given = (say(words) for fact, words in FACTS.items() if getattr(part, fact, False))
    items = [*always, *given] or [say("nothing about the sanitizer")]
    return say_list(items, most=len(items))
