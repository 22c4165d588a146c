"""Attack: from what an attacker knows to a guess."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from quintain.attacks.threat import Fact, Knowledge, explain
from quintain.data.data_part import DataPart
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, Question
from quintain.releases import Release


class Attack(DataPart, ABC):
    """Guesses what a release was meant to hide.

    Attributes
    ----------
    answers : the kinds of question that it can answer.
    needs : the facts that it must know beside the release and the question.
    blind : whether it ignores the release, so that its score is luck.
    """

    family: ClassVar[str] = "attack"
    answers: ClassVar[tuple[type[Question], ...]]
    needs: ClassVar[frozenset[Fact]] = frozenset()
    blind: ClassVar[bool] = False

    def require_facts(self, knowledge: Knowledge, release: Release) -> None:
        """Raise if it cannot answer the question, read the data or do with what it is given."""
        if not isinstance(knowledge.question, self.answers):
            kinds = " or ".join(kind.about() for kind in self.answers)
            about = knowledge.question.about()
            raise KnowledgeError(f"{self.id} answers questions about {kinds}, not about {about}")
        self.require(release.data.schema)
        missing = self.needs - knowledge.facts(release)
        if missing:
            raise KnowledgeError(
                f"{self.id} needs {explain(missing)}; the threat model does not give it"
            )

    @abstractmethod
    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Answer the question in ``knowledge`` with the help of the release."""
