"""Rows found: for how many targets does an attacker name the published row?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.published_row import PublishedRow, rows_and_guesses
from quintain.measures.blind_law import BlindLaw
from quintain.measures.intervals import proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction
from quintain.registry import register


@register("rows-found-v1")
class RowsFound(GuessMeasure):
    r"""The share of targets in the release whose row the attacker names.

    $$ |\{t : \hat r(t) = r(t)\}| / |\{t : r(t) \ne \bot\}| $$

    Only targets that have a row count. The number must be exactly right: if k published rows are
    equal, chance decides which of them is whose, so an attacker who finds the group is right for
    one in k. Blind guessing finds one row in expectation, whatever the number of rows. Lower is
    better for people.

    Examples
    --------
    Two targets have a row, and one of these rows is named:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("published-row", absent=True),
    ...     {"target": "abc", "row": [4, 0, None]},
    ...     {"target": "abc", "row": [4, 1, 2]},
    ... )
    >>> print(q.measure("rows-found", case.guess, case.truth)["rows_found"])
    0.5 [0.01258, 0.9874]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (PublishedRow,)
    reads: ClassVar[Mapping[str, Direction]] = {"rows_found": "lower"}
    finds_records: ClassVar[bool] = True

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """The number of fixed points of a random order, if every private record is published."""
        if not isinstance(goal, PublishedRow) or goal.absent:
            return None
        return BlindLaw.of_matches(private)

    def in_people(self, value: float) -> str:
        """How many of a hundred people in the release are found."""
        return f"Of 100 people in the release, the attacker finds the rows of {round(100 * value)}."

    def found_records(self, case: Case) -> Mask:
        """The targets with a row whose row the attacker names."""
        rows, guesses = rows_and_guesses(case.truth, case.guess)
        named: Mask = (rows == guesses) & (rows >= 0)
        return named

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the targets with a row, and those whose row is named."""
        hits = targets = 0
        for case in cases:
            rows, _ = rows_and_guesses(case.truth, case.guess)
            hits += int(self.found_records(case).sum())
            targets += int((rows >= 0).sum())
        return {"rows_found": proportion(hits, targets, "lower")}
