"""Membership advantage, as Yeom et al. (2018) define it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures.intervals import difference
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("membership-advantage-v1")
class MembershipAdvantage(GuessMeasure):
    r"""How much more often the attacker calls members "members" than non-members.

    $$ Adv = Pr[called member | in] - Pr[called member | out] $$

    A target is called a member if its probability is above one half. 0 is chance, 1 is perfect,
    negative is worse than chance; lower is better for people. Repetitions are pooled.

    References
    ----------
    SNAKE 2023, definition of membership advantage. Yeom et al., Privacy risk in machine learning,
    CSF 2018.

    Examples
    --------
    All three members are called members, and one of three others:

    >>> import quintain as q
    >>> from quintain.testing import membership_guess
    >>> guess = membership_guess([0.9, 0.8, 0.7, 0.6, 0.3, 0.2])
    >>> members = [True, True, True, False, False, False]
    >>> print(q.measure("membership-advantage", guess, members)["membership_advantage"])
    0.6667 [-0.7005, 0.9958]
    """

    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Membership,)
    reads: ClassVar[Mapping[str, Direction]] = {"membership_advantage": "lower"}
    chance: ClassVar[Mapping[str, float]] = {"membership_advantage": 0.0}
    finds_records: ClassVar[bool] = True

    def in_people(self, value: float) -> str:
        """How many more of a hundred members than of a hundred others are called members.

        >>> MembershipAdvantage().in_people(0.3)[:62]
        'Of 100 people in the data, the attacker calls 30 more "members'
        """
        more, word = round(100 * abs(value)), "fewer" if value < 0 else "more"
        return (
            f'Of 100 people in the data, the attacker calls {more} {word} "members" than of 100 '
            "people who are not in the data; blind guessing gives no difference."
        )

    def found_records(self, case: Case) -> Mask:
        """The members whom the attacker calls members."""
        inside, scores = members_and_scores(case.truth, case.guess)
        return inside & (scores > 0.5)

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the members and the others that are called members."""
        hits = members = false = others = 0
        for case in cases:
            inside, scores = members_and_scores(case.truth, case.guess)
            called_member = scores > 0.5
            hits += int((called_member & inside).sum())
            members += int(inside.sum())
            false += int((called_member & ~inside).sum())
            others += int((~inside).sum())
        return {"membership_advantage": difference(hits, members, false, others, "lower")}
