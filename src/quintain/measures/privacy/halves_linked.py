"""Halves linked: how many more halves are joined for members than for a control group?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.linkability import Linkability, members_and_links
from quintain.measures.intervals import difference, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("halves-linked-v1")
class HalvesLinked(GuessMeasure):
    r"""The share of members whose two halves the attacker joins, minus that of a control group.

    $$ Pr[linked | in] - Pr[linked | out] $$

    The control group consists of the targets that were not in the data. What is joined of them
    shows how the columns of the population depend on each other, not a leak. ``members_linked`` and
    ``controls_linked`` are the two shares. The number of the half must be exactly right, also if
    several halves are equal. An attacker who guesses blindly joins one pair in expectation, however
    many there are, and is as often right about members as about controls: 0 is chance. Lower is
    better for people.

    References
    ----------
    Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques (the risk
    of linkability).

    Examples
    --------
    Both members are joined, and one of the two in the control group:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("linkability", left=["size"], right=["flag"]),
    ...     {"target": "abcd", "member": [1, 1, 0, 0], "half": [2, 0, 3, 1]},
    ...     {"target": "abcd", "half": [2, 0, 3, 3]},
    ... )
    >>> print(q.measure("halves-linked", case.guess, case.truth)["linked_excess"])
    0.5 [-0.8811, 0.9936]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Linkability,)
    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "linked_excess": "lower",
        "members_linked": "lower",
        "controls_linked": "lower",
    }
    chance: ClassVar[Mapping[str, float]] = {"linked_excess": 0.0}
    finds_records: ClassVar[bool] = True
    captions: ClassVar[Mapping[str, str]] = {
        "linked_excess": "Share of members whose halves are joined, minus that of the controls.",
        "members_linked": "Share of members whose halves are joined.",
        "controls_linked": "Share of the control group whose halves are joined.",
    }

    def in_people(self, value: float) -> str:
        """How many more of a hundred members have their halves joined."""
        return (
            f"Of 100 members, the attacker joins the halves of {round(100 * value)} more than of "
            "100 people who were not in the data."
        )

    def found_records(self, case: Case) -> Mask:
        """The members whose halves the attacker joins."""
        inside, halves, guesses = members_and_links(case.truth, case.guess)
        return np.asarray(inside & (halves == guesses))

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count joined halves for members and for the control group."""
        answers = [members_and_links(case.truth, case.guess) for case in cases]
        inside, halves, guesses = (np.concatenate(column) for column in zip(*answers, strict=True))
        right = halves == guesses
        members, others = int(inside.sum()), int((~inside).sum())
        hits, false = int(right[inside].sum()), int(right[~inside].sum())
        return {
            "linked_excess": difference(hits, members, false, others, "lower"),
            "members_linked": proportion(hits, members, "lower"),
            "controls_linked": proportion(false, others, "lower"),
        }
