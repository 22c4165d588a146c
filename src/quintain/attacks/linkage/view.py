"""Linkage view: what an attacker who links pseudonyms to persons sees, month by month."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Transactions
from quintain.data.arrays import Array, Floats, Rows
from quintain.data.schema import Shape
from quintain.errors import KnowledgeError
from quintain.guesses import Guess, Question
from quintain.guesses.linkage import LinkageQuestion
from quintain.kernels.purchases import Purchases, months_of
from quintain.releases import Release

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Some purchases and whose they are, numbered from 0.

    Parameters
    ----------
    bought : the purchases.
    who : for every row the place of its person or pseudonym in ``everyone``.
    everyone : the persons or pseudonyms who have rows, as positions in ``bought.persons``.
    """

    bought: Purchases
    who: Rows
    everyone: Rows

    @classmethod
    def of(cls, bought: Purchases, rows: Rows) -> Side:
        """Some rows of purchases."""
        part = bought.take(rows)
        everyone, who = np.unique(part.person, return_inverse=True)
        return cls(part, who, everyone.astype(np.int64))

    def count(self, value: Array, size: int) -> csr_array:
        """Persons by values: how many rows have it."""
        from scipy.sparse import csr_array

        ones, shape = np.ones(len(self.who)), (len(self.everyone), size)
        return csr_array((ones, (self.who, value)), shape=shape)

    def sizes(self) -> Rows:
        """How many rows everybody has."""
        return np.bincount(self.who, minlength=len(self.everyone))


@dataclass(frozen=True, slots=True, eq=False)
class Month:
    """One month: its number in the question, what is known of it and what is published."""

    number: int
    known: Side
    shown: Side


@dataclass(frozen=True, slots=True, eq=False)
class LinkageView:
    """All that is known of the persons asked about, and all that is published."""

    question: LinkageQuestion
    known: Purchases
    shown: Purchases

    @classmethod
    def of(cls, knowledge: Knowledge, release: Release) -> LinkageView:
        """What an attacker is given, as purchases."""
        question = knowledge.asked(LinkageQuestion)
        if not isinstance(knowledge.base, Transactions) or not isinstance(
            release.data, Transactions
        ):
            raise KnowledgeError("pseudonyms are linked in transactions, with transactions known")
        known = Purchases.of(knowledge.base)
        asked = np.isin(known.persons.astype(np.str_), question.persons())
        rows = asked[known.person] & known.live
        return cls(question, known.take(rows), Purchases.of(release.data).live_rows())

    def months(self) -> Iterator[Month]:
        """The months of the question in which something is known and something published."""
        known, shown = months_of(self.known.day), months_of(self.shown.day)
        for number, label in enumerate(self.question.months):
            month = int(np.datetime64(label, "M").astype(np.int64))
            rows = np.flatnonzero(known == month), np.flatnonzero(shown == month)
            if len(rows[0]) and len(rows[1]):
                sides = Side.of(self.known, rows[0]), Side.of(self.shown, rows[1])
                yield Month(number, *sides)

    def answer(self, pseudonym_of: npt.NDArray[np.int64]) -> Guess:
        """A guess from known persons x months positions of pseudonyms, -1 for none."""
        names = np.append(self.shown.persons.astype(np.str_), "")  # -1 is the last
        asked = self.question.persons()
        row_of = {person: row for row, person in enumerate(self.known.persons.astype(np.str_))}
        rows = [row_of.get(person, -1) for person in asked.tolist()]
        nobody = np.full((1, pseudonym_of.shape[1]), -1)
        return self.question.answer(names[np.concatenate([pseudonym_of, nobody])[rows]])

    def nothing(self) -> npt.NDArray[np.int64]:
        """No guess yet: known persons x months of -1."""
        return np.full((len(self.known.persons), len(self.question.months)), -1)


class LinkageAttack(Attack):
    """An attack that links pseudonyms to persons whose purchases it knows."""

    shapes: ClassVar[tuple[Shape, ...]] = ("transactions",)
    answers: ClassVar[tuple[type[Question], ...]] = (LinkageQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base"})

    @abstractmethod
    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """For known persons x months the position of a pseudonym, or -1."""

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Link and answer."""
        view = LinkageView.of(knowledge, release)
        return view.answer(self.link(view, rng=rng))


def matched(score: Floats) -> Rows:
    """For every pseudonym the place of its person, or -1: pairs whose scores add up to most.

    Parameters
    ----------
    score : pseudonyms x persons; nobody is matched twice.
    """
    from scipy.optimize import linear_sum_assignment

    pseudonym, person = linear_sum_assignment(score, maximize=True)
    owner = np.full(len(score), -1)
    owner[pseudonym] = person
    return owner


def assign(month: Month, score: Floats, pseudonym_of: npt.NDArray[np.int64]) -> None:
    """Guess the pseudonyms of a month by the best matching.

    If there are fewer pseudonyms than persons, some may share one: a person who is left over gets
    the pseudonym with the best score.

    Parameters
    ----------
    score : pseudonyms x persons.
    pseudonym_of : known persons x months; the month's column is filled in.
    """
    best, owner = score.argmax(axis=0), matched(score)
    best[owner[owner >= 0]] = np.flatnonzero(owner >= 0)
    pseudonym_of[month.known.everyone, month.number] = month.shown.everyone[best]
