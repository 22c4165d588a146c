"""Attack: from what an attacker knows to a guess."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from quintain.attacks.threat import Fact, Knowledge
from quintain.data_part import DataPart
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

    @abstractmethod
    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Answer the question in ``knowledge`` with the help of the release."""
