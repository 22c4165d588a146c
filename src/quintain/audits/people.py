"""People: what attacks say of records, gathered for each person who has several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.audits.panel import Evidence
from quintain.audits.pool import Pool
from quintain.data.arrays import Floats, Mask, Rows


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """The people of a pool, and the evidence about each of them.

    The labels of a person's records are equal. So records are no independent trials, and a test
    that permutes their labels one by one finds differences where there are none. People who were
    drawn at random are such trials, however many records they have.

    Parameters
    ----------
    members : secret: who is in the original.
    evidence : scores of people. If people have several records, each attack gives two: the mean
        over a person's records, and the highest score of them.
    records : for each score the record of the pool that speaks most clearly for the person.
    """

    members: Mask
    evidence: tuple[Evidence, ...]
    records: tuple[Rows, ...]

    @classmethod
    def of(cls, pool: Pool, evidence: Sequence[Evidence]) -> People:
        """Gather the scores of records by person."""
        if pool.units is None:
            everybody = np.arange(len(pool))
            return cls(pool.members, tuple(evidence), (everybody,) * len(evidence))
        _, first, person = np.unique(pool.units, return_index=True, return_inverse=True)
        scores, records = [], []
        for one in evidence:
            mean, highest, place = _by_person(one.scores, person, len(first))
            scores += [Evidence(one.attack, mean), Evidence(one.attack, highest)]
            records += [place, place]
        return cls(pool.members[first], tuple(scores), tuple(records))

    def counts(self) -> tuple[int, int]:
        """How many people are in the original, and how many in the control."""
        return int(self.members.sum()), int((~self.members).sum())


def _by_person(scores: Floats, person: Rows, people: int) -> tuple[Floats, Floats, Rows]:
    """The mean, the highest score and its record, for each person; NaN if nobody was asked."""
    scored = ~np.isnan(scores)
    sums = np.bincount(person[scored], scores[scored], people)
    counts = np.bincount(person[scored], minlength=people)
    mean = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    # Sorted by person and score, the last record of each person has their highest score.
    order = np.lexsort((np.where(scored, scores, -np.inf), person))
    place = order[np.cumsum(np.bincount(person, minlength=people)) - 1]
    return mean, np.where(counts > 0, scores[place], np.nan), place
