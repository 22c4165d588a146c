"""Membership advantage, as Yeom et al. (2018) define it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.intervals import difference
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("membership-advantage-v1")
class MembershipAdvantage(GuessMeasure):
    r"""How much more often members are called members than non-members are.

    $$ Adv = Pr[said in | in] - Pr[said in | out] $$

    A target is said to be in if its probability is above one half. 0 is chance, 1 is perfect,
    negative is worse than chance. Repetitions are pooled.

    References: SNAKE 2023, definition of membership advantage (from Yeom et al. 2018).
    """

    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"membership_advantage": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"membership_advantage": 0.0}

    def in_people(self, value: float) -> str:
        """The difference between members and others.

        >>> MembershipAdvantage().in_people(0.3)[:62]
        'Of 100 people in the data, the attacker calls 30 more "members'
        """
        more, word = round(100 * abs(value)), "fewer" if value < 0 else "more"
        return (
            f'Of 100 people in the data, the attacker calls {more} {word} "members" than of 100 '
            "people who are not in the data; blind guessing gives no difference."
        )

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count who was said to be in."""
        hits = members = false = others = 0
        for case in cases:
            inside, scores = members_and_scores(case.truth, case.guess)
            called_member = scores > 0.5
            hits += int((called_member & inside).sum())
            members += int(inside.sum())
            false += int((called_member & ~inside).sum())
            others += int((~inside).sum())
        return {"membership_advantage": difference(hits, members, false, others, "lower")}
