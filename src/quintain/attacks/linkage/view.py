"""Linkage view: the known purchases and the published ones, month by month."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import as_transactions
from quintain.data.arrays import Array, Floats, Rows
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, Question
from quintain.guesses.linkage import LinkageQuestion
from quintain.kernels.purchases import Purchases, months_of
from quintain.releases import Release

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Purchases of one month, with their persons or pseudonyms numbered from 0.

    Parameters
    ----------
    bought : the purchases.
    owner : the place in ``everyone`` of each row's person or pseudonym.
    everyone : the persons or pseudonyms who have rows, as positions in ``bought.persons``.
    """

    bought: Purchases
    owner: Rows
    everyone: Rows

    @classmethod
    def of(cls, bought: Purchases, rows: Rows) -> Side:
        """Select these rows, and number their persons."""
        part = bought.take(rows)
        everyone, owner = np.unique(part.person, return_inverse=True)
        return cls(part, owner, everyone.astype(np.int64))

    def count(self, value: Array, size: int) -> csr_array:
        """Persons x values: how many rows of each person have each value."""
        from scipy.sparse import csr_array

        ones, shape = np.ones(len(self.owner)), (len(self.everyone), size)
        return csr_array((ones, (self.owner, value)), shape=shape)

    def sizes(self) -> Rows:
        """How many rows each person or pseudonym has."""
        return np.bincount(self.owner, minlength=len(self.everyone))


@dataclass(frozen=True, slots=True, eq=False)
class Month:
    """One month: its number in the question, its known purchases and its published ones."""

    number: int
    known: Side
    shown: Side


@dataclass(frozen=True, slots=True, eq=False)
class LinkageView:
    """All known purchases of the persons in the question, and all published ones."""

    question: LinkageQuestion
    known: Purchases
    shown: Purchases

    @classmethod
    def of(cls, knowledge: Knowledge, release: Release) -> LinkageView:
        """Read the purchases from what an attacker is given; deleted rows are left out."""
        question = knowledge.question_as(LinkageQuestion)
        if knowledge.base is None:
            raise KnowledgeError("linkage attacks need transactions as base data and as release")
        known = Purchases.of(as_transactions(knowledge.base))
        wanted = np.isin(known.persons.astype(np.str_), question.persons())
        rows = wanted[known.person] & known.live
        shown = Purchases.of(as_transactions(release.data))
        return cls(question, known.take(rows), shown.live_rows())

    def months(self) -> Iterator[Month]:
        """The months of the question that have both known and published purchases."""
        known, shown = months_of(self.known.day), months_of(self.shown.day)
        for number, label in enumerate(self.question.months):
            month = int(np.datetime64(label, "M").astype(np.int64))
            rows = np.flatnonzero(known == month), np.flatnonzero(shown == month)
            if len(rows[0]) and len(rows[1]):
                sides = Side.of(self.known, rows[0]), Side.of(self.shown, rows[1])
                yield Month(number, *sides)

    def answer(self, pseudonym_of: npt.NDArray[np.int64]) -> Guess:
        """Turn positions of pseudonyms, known persons x months, into a guess; -1 means none."""
        names = np.append(self.shown.persons.astype(np.str_), "")  # -1 is the last
        row_of = {person: row for row, person in enumerate(self.known.persons.astype(np.str_))}
        rows = [row_of.get(person, -1) for person in self.question.persons().tolist()]
        nobody = np.full((1, pseudonym_of.shape[1]), -1)
        return self.question.answer(names[np.concatenate([pseudonym_of, nobody])[rows]])

    def nothing(self) -> npt.NDArray[np.int64]:
        """Start without any guess: known persons x months of -1."""
        return np.full((len(self.known.persons), len(self.question.months)), -1)


class LinkageAttack(Attack):
    """Links pseudonyms to persons whose purchases the attacker knows."""

    shapes: ClassVar[tuple[str, ...]] = ("transactions",)
    answers: ClassVar[tuple[type[Question], ...]] = (LinkageQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base"})

    @abstractmethod
    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Find the position of a pseudonym for known persons x months, or -1."""

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Link the pseudonyms, then answer for the persons of the question."""
        view = LinkageView.of(knowledge, release)
        return view.answer(self.link(view, rng=rng))


def best_owners(score: Floats) -> Rows:
    """Find the place of each pseudonym's person, or -1, by the pairs with the largest total score.

    Parameters
    ----------
    score : pseudonyms x persons; no person is matched twice.
    """
    from scipy.optimize import linear_sum_assignment

    pseudonym, person = linear_sum_assignment(score, maximize=True)
    owner = np.full(len(score), -1)
    owner[pseudonym] = person
    return owner


def assign(month: Month, score: Floats, pseudonym_of: npt.NDArray[np.int64]) -> None:
    """Guess the pseudonyms of a month by the best matching.

    If there are fewer pseudonyms than persons, some persons share one: a person without a match
    gets the pseudonym with the best score.

    Parameters
    ----------
    score : pseudonyms x persons.
    pseudonym_of : known persons x months; this function fills in the month's column.
    """
    best, owner = score.argmax(axis=0), best_owners(score)
    best[owner[owner >= 0]] = np.flatnonzero(owner >= 0)
    pseudonym_of[month.known.everyone, month.number] = month.shown.everyone[best]
