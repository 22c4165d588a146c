"""The blind attacker."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data.schema import Shape
from quintain.guesses import Guess, Question
from quintain.registry import register
from quintain.releases import Release


@register("random-v1")
class Random(Attack):
    """Guesses without looking; what it scores is luck."""

    shapes: ClassVar[tuple[Shape, ...]] = ("table", "transactions", "series")
    answers: ClassVar[tuple[type[Question], ...]] = (Question,)
    blind: ClassVar[bool] = True

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Answer blindly."""
        return knowledge.question.blind(rng=rng)
