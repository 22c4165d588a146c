"""Random: an attacker who does not look at the release."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.guesses import Guess, Question
from quintain.registry import register
from quintain.releases import Release


@register("random-v1")
class Random(Attack):
    """Guesses at random without looking at the release, so its score is luck.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> people = pa.table({"age": [30, 61, 45]})
    >>> guess = q.attack("random", people, targets=people, seed=1)
    >>> guess.table.columns["probability"].round(2).tolist()
    [0.51, 0.95, 0.14]
    """

    shapes: ClassVar[tuple[str, ...]] = ("table", "transactions", "series", "people")
    answers: ClassVar[tuple[type[Question], ...]] = (Question,)
    blind: ClassVar[bool] = True

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Return the blind answer of the question."""
        return knowledge.question.blind(rng=rng)
