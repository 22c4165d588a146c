"""Hit rate: how many of the records that an attacker names were in the data?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.membership_set import MembershipSet
from quintain.measures.blind_law import BlindLaw
from quintain.measures.intervals import proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("hit-rate-v1")
class HitRate(GuessMeasure):
    r"""The share of the named records that were in the private data.

    $$ |named \cap members| / |named| $$

    A record named twice counts once. Blind guessing gives the share of the population that is in
    the private data. Lower is better for people.

    References
    ----------
    AMIC 2020, "Accuracy of Attacker j for Anonymizer i".

    Examples
    --------
    Two of the four named rows were in the data:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(q.part("membership-set"), {"row": [2, 3, 5, 7]}, {"row": [1, 2, 3, 4]})
    >>> print(q.measure("hit-rate", case.guess, case.truth)["hit_rate"])
    0.5 [0.06759, 0.9324]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (MembershipSet,)
    reads: ClassVar[Mapping[str, Direction]] = {"hit_rate": "lower"}
    finds_records: ClassVar[bool] = True

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """The number of hits among blindly named records follows a hypergeometric law."""
        if not isinstance(goal, MembershipSet):
            return None
        return BlindLaw.of_hits(population, private, goal.guesses)

    def in_people(self, value: float) -> str:
        """How many of a hundred named records are in the data."""
        return f"Of 100 records that the attacker names, {round(100 * value)} are in the data."

    def found_records(self, case: Case) -> Mask:
        """The records of the private data that the attacker names."""
        named: Mask = np.isin(case.truth.table.columns["row"], case.guess.table.columns["row"])
        return named

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count named records and hits over all repetitions."""
        hits = named = 0
        for case in cases:
            rows = np.unique(case.guess.table.columns["row"])
            hits += int(np.isin(rows, case.truth.table.columns["row"]).sum())
            named += len(rows)
        return {"hit_rate": proportion(hits, named, "lower")}
