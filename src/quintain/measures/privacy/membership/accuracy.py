"""Accuracy: the share of targets an attacker put on the right side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.intervals import proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("accuracy-v1")
class Accuracy(GuessMeasure):
    """The share of targets of which an attacker said rightly that they were in, or out.

    A target is said to be in if its probability is above one half. With as many members as others,
    one half is chance. Repetitions are pooled.

    References: Hide-and-Seek 2020, "re-identification score".
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"accuracy": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"accuracy": 0.5}

    def in_people(self, value: float) -> str:
        """How many of a hundred targets are judged rightly."""
        return (
            f"Of 100 targets, the attacker says rightly of {round(100 * value)} whether they are "
            "in the data; blind guessing does for about 50 if half of them are."
        )

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count who was said rightly to be in or out."""
        right = targets = 0
        for case in cases:
            inside, scores = members_and_scores(case.truth, case.guess)
            right += int(((scores > 0.5) == inside).sum())
            targets += len(inside)
        return {"accuracy": proportion(right, targets, "lower")}
