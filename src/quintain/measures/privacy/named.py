"""Named: how many people's trajectories does the attacker put to the right name?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.pseudonym import PseudonymGoal, pseudonyms_and_guesses
from quintain.measures.blind_law import BlindLaw
from quintain.measures.intervals import proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("named-v1")
class Named(GuessMeasure):
    """The share of people for whom the attacker names the right pseudonym.

    An attacker who guesses blindly names one person in expectation, however many there are. Lower
    is better for people.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407 (the safety
    against re-identification of PWS Cup 2019 is 1 minus this share).

    Examples
    --------
    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("pseudonym"),
    ...     {"target": "abcd", "pseudonym": [2, 0, 3, 1]},
    ...     {"target": "abcd", "pseudonym": [2, 0, 1, 1]},
    ... )
    >>> print(q.measure("named", case.guess, case.truth)["named"])
    0.75 [0.1941, 0.9937]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (PseudonymGoal,)
    reads: ClassVar[Mapping[str, Direction]] = {"named": "lower"}
    finds_records: ClassVar[bool] = True

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """Pseudonyms in a random order."""
        return BlindLaw.of_matches(private) if private else None

    def in_people(self, value: float) -> str:
        """How many of a hundred people are named."""
        return f"Of 100 people, the attacker finds the trajectory of {round(100 * value)}."

    def found_records(self, case: Case) -> Mask:
        """The people whose pseudonym the attacker names."""
        true, guessed = pseudonyms_and_guesses(case.truth, case.guess)
        right: Mask = true == guessed
        return right

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the people of all repetitions."""
        right = np.concatenate([self.found_records(case) for case in cases])
        return {"named": proportion(int(right.sum()), len(right), "lower")}
