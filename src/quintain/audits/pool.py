"""Pool: the people of the original and of the control, mixed so that no attack can tell them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.audits.results import ExposedRecord
from quintain.data import Data, Table, shape_of
from quintain.data.arrays import Floats, Mask, Rows
from quintain.data.people import People
from quintain.measures.pooled.nameable import Nameable
from quintain.releases import Release
from quintain.samples import Sample


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Records of the original and of the control in random order.

    Attacks get the records alone. Whatever they compute is then independent of who is a member, if
    the release does not depend on it. That makes a test by permuted labels exact.

    Parameters
    ----------
    records : all people, without ids.
    members : secret: which of them are in the original.
    rows : for each record its row in the original or in the control.
    units : for each record the number of its person; None if every record is a person.
    """

    records: Table
    members: Mask
    rows: Rows
    units: Rows | None = None

    @classmethod
    def of(
        cls,
        original: Table,
        control: Table,
        units: Rows | None = None,
        *,
        rng: np.random.Generator,
    ) -> Pool:
        """Mix two tables with the same schema; ``units`` are those of both, one after the other."""
        order = rng.permutation(len(original) + len(control))
        names = original.schema.names
        both = {n: np.concatenate([original.columns[n], control.columns[n]])[order] for n in names}
        rows = np.concatenate([np.arange(len(original)), np.arange(len(control))])[order]
        people = None if units is None else units[order]
        return cls(Table(original.schema, both), order < len(original), rows, people)

    def __len__(self) -> int:
        return len(self.members)

    def person(self) -> Rows | None:
        """For each record the number of its person, from 0; None if every record is a person."""
        return None if self.units is None else np.unique(self.units, return_inverse=True)[1]

    def sample(self, targets: Rows | None = None) -> Sample:
        """The pool as the sample of a contest: the population is the pool, its members private.

        Parameters
        ----------
        targets : the rows of the pool that attackers are asked about; by default all of them.
        """
        rows = np.arange(len(self)) if targets is None else targets
        inside = np.flatnonzero(self.members)
        private = self.records.take(inside)
        return Sample(self.records, private, rows, np.arange(len(rows)), self.members[rows], inside)


@dataclass(frozen=True, slots=True, eq=False)
class RowsOfTable:
    """The rows of one of several tables, for attacks that look at single rows.

    Parameters
    ----------
    size : how many rows there are on all sides.
    release : those of the release.
    pool : those of original and control; None if they are too many for such attacks.
    """

    size: int
    release: Release
    pool: Pool | None


@dataclass(frozen=True, slots=True, eq=False)
class PeoplePool:
    """The people of a pool with all their rows, and the pseudonyms of the release with theirs.

    Parameters
    ----------
    known : everybody in the pool, by the number of the person.
    shown : the pseudonyms.
    members : secret: who is in the original.
    right : secret: for each person their pseudonym, -1 if there is none; None if nobody knows.
    """

    known: People
    shown: People
    members: Mask
    right: Rows | None = None

    @classmethod
    def of(
        cls, pool: Pool, released: Table, pseudonyms: Rows, pseudonym_of: Rows | None = None
    ) -> PeoplePool:
        """Gather the rows of a pool whose people have numbers.

        Parameters
        ----------
        pseudonyms : for each released row the number of its pseudonym.
        pseudonym_of : for the number of each person that of their pseudonym, or -1.
        """
        assert pool.units is not None  # without them, every row is a person
        units, first, person = np.unique(pool.units, return_index=True, return_inverse=True)
        numbers, pseudonym = np.unique(pseudonyms, return_inverse=True)
        right = None
        if pseudonym_of is not None:
            wanted = pseudonym_of[units]
            place = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
            right = np.where(numbers[place] == wanted, place, -1)
        return cls(
            People.of_rows(pool.records, person, len(units)),
            People.of_rows(released, pseudonym, len(numbers)),
            pool.members[first],
            right,
        )


@dataclass(frozen=True, slots=True, eq=False)
class RecordPool:
    """The people of the original and of the control, of any shape, as if they were published.

    They are in random order, and nothing tells where they come from.

    Parameters
    ----------
    records : the data of all of them.
    members : secret: which of them are in the original.
    rows : for each of them the place in the original or in the control.
    """

    records: Data
    members: Mask
    rows: Rows
    units: ClassVar[None] = None  # every record is a person

    @classmethod
    def of(cls, original: Data, control: Data, *, rng: np.random.Generator) -> RecordPool:
        """Mix the people of two data sets with the same schema."""
        shape = shape_of(original)
        records, order = shape.publish(shape.join(original, control), rng=rng)
        rows = np.concatenate([np.arange(len(original)), np.arange(len(control))])[order]
        return cls(records, order < len(original), rows)

    def __len__(self) -> int:
        return len(self.members)

    def sample(self) -> Sample:
        """The pool as the sample of a contest: everybody is a target."""
        everyone, inside = np.arange(len(self.members)), np.flatnonzero(self.members)
        private = self.records.take(inside)
        return Sample(self.records, private, everyone, everyone, self.members, inside)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What one attack says of every record of the pool.

    Parameters
    ----------
    attack : the name of the attack, as in the findings.
    scores : one number per record; the higher, the more the release gives away about it. NaN where
        the attack was not asked. They must not depend on who is a member.
    of_people : whether there is one number per person instead, in the order of their numbers.
    """

    attack: str
    scores: Floats
    of_people: bool = False


# Person scores: what attacks say of records, gathered for each person who has several of them.


@dataclass(frozen=True, slots=True, eq=False)
class PersonScores:
    """The people of a pool, and the evidence about each of them.

    The labels of a person's records are equal. So records are no independent trials, and a test
    that permutes their labels one by one finds differences where there are none. People who were
    drawn at random are such trials, however many records they have.

    Parameters
    ----------
    members : secret: who is in the original.
    evidence : scores of people. If people have several records, each attack on records gives two:
        the mean over a person's records, and the highest score of them.
    records : for each score the record of the pool that speaks most clearly for the person.
    """

    members: Mask
    evidence: tuple[Evidence, ...]
    records: tuple[Rows, ...]

    @classmethod
    def of(cls, pool: Pool | RecordPool, evidence: Sequence[Evidence]) -> PersonScores:
        """Gather the scores of records by person."""
        if pool.units is None:
            everybody = np.arange(len(pool))
            return cls(pool.members, tuple(evidence), (everybody,) * len(evidence))
        _, first, person = np.unique(pool.units, return_index=True, return_inverse=True)
        scores, records = [], []
        for given in evidence:
            if given.of_people:
                scores.append(given)
                records.append(first)
                continue
            mean, highest, place = by_person(given.scores, person, len(first))
            scores += [Evidence(given.attack, mean), Evidence(given.attack, highest)]
            records += [place, place]
        return cls(pool.members[first], tuple(scores), tuple(records))

    def counts(self) -> tuple[int, int]:
        """How many people are in the original, and how many in the control."""
        return int(self.members.sum()), int((~self.members).sum())


def by_person(scores: Floats, person: Rows, people: int) -> tuple[Floats, Floats, Rows]:
    """The mean, the highest score and its record, for each person; NaN if nobody was asked."""
    scored = ~np.isnan(scores)
    sums = np.bincount(person[scored], scores[scored], people)
    counts = np.bincount(person[scored], minlength=people)
    mean = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    # Sorted by person and score, the last record of each person has their highest score.
    order = np.lexsort((np.where(scored, scores, -np.inf), person))
    place = order[np.cumsum(np.bincount(person, minlength=people)) - 1]  # of nobody's, any
    return mean, np.where(counts > 0, scores[place], np.nan), place


# Exposed records: the people of the original whom attacks tell most easily from strangers.


def exposed_records(
    pool: Pool, people: PersonScores, names: Nameable, count: int
) -> tuple[ExposedRecord, ...]:
    """The members with the smallest p-values, the most exposed first; equal ones by their row.

    Of somebody with several rows, the row that gives them away most clearly is listed.
    """
    members = np.flatnonzero(people.members & (names.attacks >= 0))
    rows = np.array([people.records[names.attacks[who]][who] for who in members], np.int64)
    order = np.lexsort([pool.rows[rows], names.p[members]])[:count]
    values = pool.records.take(rows[order]).records()
    return tuple(
        ExposedRecord(
            row=int(pool.rows[row]),
            p=float(names.p[who]),
            attack=people.evidence[int(names.attacks[who])].attack,
            values={name: _plain(value) for name, value in record.items()},
        )
        for who, row, record in zip(members[order], rows[order], values, strict=True)
    )


def _plain(value: object) -> object:
    """A value as JSON can hold it: times become text."""
    return value if isinstance(value, str | int | float | None) else str(value)
