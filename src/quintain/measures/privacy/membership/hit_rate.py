"""Hit rate: of the records an attacker named, how many were really in the data?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

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

    A record named twice counts once. What blind guessing gives is the share of the population
    that is in the private data.

    References: AMIC 2020, "Accuracy of Attacker j for Anonymizer i".
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (MembershipSet,)
    reads: ClassVar[Mapping[str, Direction]] = {"hit_rate": "lower"}

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """Hits among named records: hypergeometric."""
        if not isinstance(goal, MembershipSet):
            return None
        return BlindLaw.of_hits(population, private, goal.guesses)

    def in_people(self, value: float) -> str:
        """How many of a hundred named records were there."""
        return f"Of 100 records that the attacker names, {round(100 * value)} are in the data."

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count hits over all repetitions."""
        hits = named = 0
        for case in cases:
            rows = np.unique(case.guess.table.columns["row"])
            hits += int(np.isin(rows, case.truth.table.columns["row"]).sum())
            named += len(rows)
        return {"hit_rate": proportion(hits, named, "lower")}
