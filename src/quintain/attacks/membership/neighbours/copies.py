"""Copies: records that are in the release, or almost, though few people are like them."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.neighbours.agreement import count_agreeing
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.registry import register


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
    people = count_agreeing(base, records, 2)
    people[0] = np.maximum(people[0] - 1, 0)  # a record of the base data does not count for itself
    seen, usual = (
        np.sum([weight**k * count for k, count in enumerate(counts)], axis=0)
        for counts in (copies, people)
    )
    return seen, usual * (len(release) / max(1, len(base)))
