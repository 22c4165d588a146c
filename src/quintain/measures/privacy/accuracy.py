"""Accuracy: the share of targets that an attacker classifies correctly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.intervals import proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("accuracy-v1")
class Accuracy(GuessMeasure):
    """The share of targets for which an attacker says correctly whether they are in the data.

    A target counts as called a member if its probability is above one half. With as many members
    as others, chance is one half. Repetitions are pooled. Lower is better for people.

    References
    ----------
    Hide-and-Seek 2020, "re-identification score".

    Examples
    --------
    The second target is wrongly called a member, the third wrongly not:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess = membership_guess([0.9, 0.8, 0.4, 0.1])
    >>> print(q.measure("accuracy", guess, [True, False, True, False])["accuracy"])
    0.5 [0.06759, 0.9324]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"accuracy": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"accuracy": 0.5}
    finds_records: ClassVar[bool] = True

    def in_people(self, value: float) -> str:
        """How many of a hundred targets are classified correctly."""
        return (
            f"Of 100 targets, the attacker says correctly of {round(100 * value)} whether they are "
            "in the data; blind guessing is right for about 50 if half of them are."
        )

    def found_records(self, case: Case) -> Mask:
        """The members whom the attacker calls members."""
        inside, scores = members_and_scores(case.truth, case.guess)
        return inside & (scores > 0.5)

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the targets that are classified correctly."""
        right = targets = 0
        for case in cases:
            inside, scores = members_and_scores(case.truth, case.guess)
            right += int(((scores > 0.5) == inside).sum())
            targets += len(inside)
        return {"accuracy": proportion(right, targets, "lower")}
