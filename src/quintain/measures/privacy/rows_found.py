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

# Absence found: does an attacker know which targets are not in the release?


@register("absence-found-v1")
class AbsenceFound(GuessMeasure):
    """How well an attacker tells which targets have no row in the release.

    ``absence_recall`` is the share of the absent targets about whom the attacker says "not in
    here"; ``absence_precision`` is the share of these answers that are right. The goal must allow
    the answer (``absent = true``). Lower is better for people, because to know that somebody is
    absent is to know who is present.

    Examples
    --------
    The attacker says "not in here" of two targets. One of them is absent, and so is a third one:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("published-row", absent=True),
    ...     {"target": "abcd", "row": [4, 0, None, None]},
    ...     {"target": "abcd", "row": [4, None, None, 2]},
    ... )
    >>> readings = q.measure("absence-found", case.guess, case.truth)
    >>> readings["absence_recall"].value, readings["absence_precision"].value
    (0.5, 0.5)
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (PublishedRow,)
    reads: ClassVar[Mapping[str, Direction]] = {
        "absence_recall": "lower",
        "absence_precision": "lower",
    }
    finds_records: ClassVar[bool] = True
    captions: ClassVar[Mapping[str, str]] = {
        "absence_recall": "Share of the absent targets that the attacker takes for absent.",
        "absence_precision": "Share of the targets taken for absent that are absent.",
    }

    def in_people(self, value: float) -> str:
        """How many of a hundred absent people are known to be absent."""
        return f"Of 100 people who have no row, the attacker knows it of {round(100 * value)}."

    def found_records(self, case: Case) -> Mask:
        """The absent targets that the attacker takes for absent."""
        rows, guesses = rows_and_guesses(case.truth, case.guess)
        return np.asarray((rows < 0) & (guesses < 0))

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the absent targets, the answers "not in here", and where both agree."""
        both = absent = answered = 0
        for case in cases:
            rows, guesses = rows_and_guesses(case.truth, case.guess)
            both += int(self.found_records(case).sum())
            absent += int((rows < 0).sum())
            answered += int((guesses < 0).sum())
        return {
            "absence_recall": proportion(both, absent, "lower"),
            "absence_precision": proportion(both, answered, "lower"),
        }


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
