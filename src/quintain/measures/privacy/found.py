"""Found: how many of the records, rows or hidden values that an attacker names are right?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Mask
from quintain.guesses import Goal
from quintain.guesses.hidden_columns import HiddenColumns, cells_right
from quintain.guesses.membership_set import MembershipSet
from quintain.guesses.naming import Naming, pseudonyms_and_guesses
from quintain.guesses.pseudonym import PseudonymGoal
from quintain.guesses.published_row import PublishedRow, rows_and_guesses
from quintain.measures.blind_law import BlindLaw
from quintain.measures.intervals import bounded_mean, proportion
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


@register("cells-found-v1")
class CellsFound(GuessMeasure):
    """The share of hidden values that an attacker guesses right, over all people and columns.

    The values of one person depend on each other, so the interval counts people and not values.
    A right guess is not always a leak: chance and correlation give some. Lower is better for
    people. Repetitions are pooled.

    References
    ----------
    PWS Cup 2023, value of an attack. Hoeffding, Probability inequalities for sums of bounded random
    variables, JASA 58 (1963), for the interval.

    Examples
    --------
    Three of four values are right:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("hidden-columns", columns=["colour", "flag"]),
    ...     {"target": "ab", "colour": ["red", "blue"], "flag": ["yes", "no"]},
    ...     {"target": "ab", "colour": ["red", "blue"], "flag": ["yes", "yes"]},
    ... )
    >>> print(q.measure("cells-found", case.guess, case.truth)["cells_found"])
    0.75 [0, 1]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (HiddenColumns,)
    reads: ClassVar[Mapping[str, Direction]] = {"cells_found": "lower"}

    def in_people(self, value: float) -> str:
        """How many of a hundred hidden values are guessed right."""
        return f"Of 100 hidden values, the attacker guesses {round(100 * value)} right."

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Average the share of right values over all people."""
        shares = [
            cells_right(case.truth, case.guess) / (len(case.guess.table.schema.names) - 1)
            for case in cases
        ]
        return {"cells_found": bounded_mean(np.concatenate(shares), "lower")}


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


@register("people-named-v1")
class PeopleNamed(GuessMeasure):
    r"""The share of targets in the release whose pseudonym the attacker names.

    $$ |\{t : \hat p(t) = p(t)\}| / |\{t : p(t) \ne \bot\}| $$

    Only targets that have a pseudonym count. Blind guessing names one person in expectation,
    whatever the number of people. Lower is better for people.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407 (the safety
    against re-identification of PWS Cup 2019 is 1 minus this share).

    Examples
    --------
    Two targets have a pseudonym, and one of these is named:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> case = case_of(
    ...     q.part("naming", absent=True),
    ...     {"target": "abc", "pseudonym": ["4", "1", None]},
    ...     {"target": "abc", "pseudonym": ["4", "2", "3"]},
    ... )
    >>> print(q.measure("people-named", case.guess, case.truth)["people_named"])
    0.5 [0.01258, 0.9874]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (Naming, PseudonymGoal)
    reads: ClassVar[Mapping[str, Direction]] = {"people_named": "lower"}
    finds_records: ClassVar[bool] = True

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """The number of fixed points of a random order, if everybody is a published target."""
        if (isinstance(goal, Naming) and goal.absent) or not private:
            return None
        return BlindLaw.of_matches(private)

    def in_people(self, value: float) -> str:
        """How many of a hundred people in the release are named."""
        return f"Of 100 people in the release, the attacker names {round(100 * value)}."

    def found_records(self, case: Case) -> Mask:
        """The targets whose pseudonym the attacker names."""
        true, given = pseudonyms_and_guesses(case.truth, case.guess)
        named: Mask = (true == given) & (true != "")
        return named

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count the targets with a pseudonym, and those whose pseudonym is named."""
        hits = targets = 0
        for case in cases:
            true, _ = pseudonyms_and_guesses(case.truth, case.guess)
            hits += int(self.found_records(case).sum())
            targets += int((true != "").sum())
        return {"people_named": proportion(hits, targets, "lower")}
