"""Copies: records that are in the release, exactly or almost, though few people are like them."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.membership.record_scores import RecordScores
from quintain.attacks.remembered import Remembered
from quintain.attacks.threat import Knowledge
from quintain.data import Table, as_table
from quintain.data.arrays import Floats, number_values
from quintain.guesses import Guess, MembershipQuestion, MembershipSetQuestion, Question
from quintain.kernels.shared_keys import rows_that_may_meet
from quintain.registry import register
from quintain.releases import Release

MOST = 300
"""The largest number of choices of columns to leave out; with more, fewer columns are left out."""

Hashes = npt.NDArray[np.uint64]

_people = Remembered[tuple[Floats, ...]](2)  # how many people agree with each record

_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@register("exact-match-v1")
class ExactMatch(Attack):
    """Guesses that a target is a member if the release contains exactly the same records.

    Real numbers and times must be equal to the last digit. Two missing values are equal.

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> release = pa.table({"sex": ["f", "m"], "age": [30, 61]})
    >>> targets = pa.table({"sex": ["m", "f"], "age": [61, 31]})
    >>> guess = q.attack("exact-match", release, targets=targets, seed=0)
    >>> guess.table.columns["probability"].tolist()  # only the first target is released
    [1.0, 0.0]
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion, MembershipSetQuestion)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Look up each target record in the release."""
        question = knowledge.question
        released = as_table(release.data)
        if isinstance(question, MembershipQuestion):
            return question.answer(question.by_target(occurs(question.records(), released)))
        question = knowledge.question_as(MembershipSetQuestion)
        base = knowledge.population()
        hits = rng.permutation(np.flatnonzero(occurs(base, released)))
        others = rng.permutation(np.setdiff1d(np.arange(len(base)), hits))
        return question.answer(np.concatenate([hits, others])[: question.guesses])


@register("surprise-v1")
class Surprise(RecordScores):
    r"""Scores a record that is in the release as it is; the rarer such people are, the higher.

    $$ - log (m/n \sum_k w^k a_k + w^3) $$

    where a_k other people of the base data differ from the record in exactly k columns (k up to
    2), n is the number of these people and m the number of released records. So a copy of somebody
    whom nobody resembles gets the highest score, and records that are not in the release the
    lowest. Real numbers and times must be equal to the last digit. Two missing values are equal.

    Parameters
    ----------
    weight : the w: what a person counts who differs in one column.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("surprise", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.78; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    weight: Annotated[float, Field(gt=0, lt=1)] = 0.03

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Find the copies, then count the people who are like them."""
        copies, expected = expectations(release, base, records, self.weight, 0)
        surprise = -np.log(expected + self.weight**3)
        return np.where(copies > 0, surprise, -np.log(len(release) + 2.0))


@register("near-copies-v1")
class NearCopies(RecordScores):
    r"""Scores a record by how much more often it is in the release, almost, than people like it.

    $$ log (\sum_k w^k r_k + w^2) - log (m/n \sum_k w^k a_k + w^2) $$

    where r_k of the m released records and a_k of the n other people of the base data differ from
    the record in exactly k columns (k up to 2, or up to 1 in tables of many columns). Real numbers
    and times must be equal to the last digit. Two missing values are equal.

    Parameters
    ----------
    weight : the w: what a record counts that differs in one column.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("near-copies", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.82; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    weight: Annotated[float, Field(gt=0, lt=1)] = 0.01

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the numbers of released records and of people that almost agree."""
        copies, expected = expectations(release, base, records, self.weight, 2)
        floor = self.weight**2
        return np.asarray(np.log(copies + floor) - np.log(expected + floor))


def expectations(
    release: Table, base: Table, records: Table, weight: float, differ: int
) -> tuple[Floats, Floats]:
    """How many copies of each record are in the release, and how many the base data suggest.

    Parameters
    ----------
    weight : what a copy counts that differs in one column.
    differ : in how many columns a released record may differ; people may differ in two.
    """
    copies = count_agreeing(release, records, differ)
    key = base.digest(), records.digest(), tuple(records.schema.names)
    people = list(_people.get(key, lambda: tuple(count_agreeing(base, records, 2))))
    people[0] = np.maximum(people[0] - 1, 0)  # a record of the base data does not count for itself
    seen, usual = (
        np.sum([weight**k * count for k, count in enumerate(counts)], axis=0)
        for counts in (copies, people)
    )
    return seen, usual * (len(release) / max(1, len(base)))


def count_agreeing(table: Table, at: Table, differ: int) -> list[Floats]:
    """Count the rows of a table that differ from each row of another in exactly k columns.

    The result has one array for each k from 0 to ``differ``. In a table of many columns it stops
    earlier, because all choices of columns are gone through. Values are compared exactly; two
    missing values are equal. The sums of 64-bit hashes stand for the rows: two of a million rows
    share one with a probability below one in ten million.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=tuple(Column(name=n, kind="integer", low=0, high=9) for n in "ab"))
    >>> table = Table.of(schema, {"a": [1, 1, 2], "b": [3, 4, 3]})
    >>> [count.tolist() for count in count_agreeing(table, table.take([0]), 1)]
    [[1.0], [2.0]]
    """
    names = [column.name for column in at.schema.attributes]
    there, here = _hashes(table, at, names)
    whole = there.sum(axis=0), here.sum(axis=0)
    exactly: list[Floats] = []
    for k in range(_affordable(len(names), differ) + 1):
        total = np.zeros(len(at))
        for left_out in combinations(range(len(names)), k):
            total += _counts(
                *(
                    key - hashes[list(left_out)].sum(axis=0)
                    for key, hashes in zip(whole, (there, here), strict=True)
                )
            )
        # A row that differs in j < k columns agrees in all but k columns in several ways.
        for j, fewer in enumerate(exactly):
            total -= comb(len(names) - j, k - j) * fewer
        exactly.append(total)
    return exactly


def row_hashes(table: Table, at: Table) -> tuple[Hashes, Hashes]:
    """A number that looks random for every row of two tables, the same for equal rows.

    >>> from quintain.testing import example_table
    >>> table = example_table(rows=5)
    >>> one, other = row_hashes(table, table.take([0, 1, 2]))
    >>> one[:3].tolist() == other.tolist()
    True
    """
    names = [column.name for column in at.schema.attributes]
    there, here = _hashes(table, at, names)
    return _mix(there.sum(axis=0)), _mix(here.sum(axis=0))


def _affordable(columns: int, differ: int) -> int:
    """How many columns may be left out, so that something is left and the choices are not many."""
    most = min(differ, max(0, columns - 1))
    while most and comb(columns, most) > MOST:
        most -= 1
    return most


def _hashes(table: Table, at: Table, names: list[str]) -> tuple[Hashes, Hashes]:
    """A number for every cell of both tables, columns x rows: equal for equal cells of a column."""
    both = np.empty((len(names), len(table) + len(at)), np.uint64)
    for place, name in enumerate(names):
        cells = np.concatenate([table.columns[name], at.columns[name]])
        codes = number_values(cells).astype(np.uint64)
        both[place] = _mix(codes + np.uint64(place << 40))
    return both[:, : len(table)], both[:, len(table) :]


def _mix(numbers: Hashes) -> Hashes:
    """Numbers that look random, different for different numbers (the end of SplitMix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in zip((30, 27), _MIX, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
    return mixed ^ (mixed >> np.uint64(31))


def _counts(keys: Hashes, wanted: Hashes) -> Floats:
    """How often each wanted key occurs among the keys."""
    times = np.zeros(len(wanted))
    key_rows, rows = rows_that_may_meet(keys, wanted)
    if len(key_rows):
        present, counts = np.unique(keys[key_rows], return_counts=True)
        place = np.minimum(np.searchsorted(present, wanted[rows]), len(present) - 1)
        times[rows] = np.where(present[place] == wanted[rows], counts[place], 0)
    return times


def occurs(records: Table, release: Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which records occur in the release with all values equal."""
    both = records.select(release.schema.names).concat(release)
    keys = both.row_keys()
    return np.isin(keys[: len(records)], keys[len(records) :])
