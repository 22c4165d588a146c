"""Rebuilding: what attacks on hidden columns share, from beliefs about values to a guess."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.threat import Knowledge
from quintain.data import Column, Table, as_table
from quintain.data.arrays import Array, Floats, Rows
from quintain.data.codec import missing_cells
from quintain.errors import PartError
from quintain.guesses import AttributeQuestion, Guess, HiddenColumnsQuestion, Question
from quintain.kernels.value_classes import ValueClasses, bin_starts
from quintain.releases import Release

_MOST = 64  # hidden numbers with more values than this are guessed by bins
_CODES = 24  # known columns are compared in at most so many classes
_DOUBT = 10  # records by which a value counts more when it is asked how rare it is


@dataclass(frozen=True, slots=True, eq=False)
class HiddenClasses:
    """The values of a hidden column that occur in a release.

    Parameters
    ----------
    values : what is guessed for each class: its value, or the middle one of a bin.
    codes : the class of each released record.
    """

    values: Array
    codes: Rows

    @classmethod
    def of(cls, column: Column, stored: Array) -> HiddenClasses:
        """Each value is a class; numbers with many values are cut into bins of equal size.

        >>> column = Column(name="pay", kind="real", low=0, high=9)
        >>> HiddenClasses.of(column, np.array([2.5, 1.0, 2.5])).values.tolist()
        [1.0, 2.5]
        """
        values, codes = np.unique(stored, return_inverse=True)
        if column.listed or len(values) <= _MOST:
            return cls(values, codes)
        missing = missing_cells(column, stored)
        starts = bin_starts(stored[~missing].astype(np.float64), _MOST)
        bins = np.searchsorted(starts, stored.astype(np.float64), side="right")
        bins[missing] = len(starts) + 1
        _, codes = np.unique(bins, return_inverse=True)
        order = np.lexsort((stored, codes))
        ends = np.cumsum(np.bincount(codes))
        middle = (np.append(0, ends[:-1]) + ends - 1) // 2
        return cls(stored[order[middle]], codes)

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.values)

    def prior(self) -> Floats:
        """The share of each class in the release."""
        return np.asarray(np.bincount(self.codes, minlength=self.size) / max(1, len(self.codes)))

    def choose(self, shares: Floats, rarity: float) -> Array:
        """The value that is likeliest for each person, if rare ones count more.

        A few records hardly tell how rare a value is, so each counts as if ten more had it.

        >>> seen = HiddenClasses(np.array(["no", "yes"]), np.array([0] * 90 + [1] * 10))
        >>> shares = np.array([[0.7, 0.3], [0.9, 0.1]])
        >>> [seen.choose(shares, rarity).tolist() for rarity in (0, 1)]
        [['no', 'no'], ['yes', 'no']]
        """
        counts = np.bincount(self.codes, minlength=self.size) + _DOUBT
        return np.asarray(self.values[(shares / counts**rarity).argmax(axis=1)])


@dataclass(frozen=True, slots=True, eq=False)
class Rebuilding:
    """Released records to learn from, and people with the same known columns to rebuild.

    Parameters
    ----------
    shown, known : the known columns of released records and of people.
    hidden : the hidden columns of the released records.
    """

    shown: Table
    known: Table
    hidden: tuple[HiddenClasses, ...]

    @classmethod
    def of(cls, known: Table, secrets: Sequence[Column], released: Table) -> Rebuilding:
        """What an attacker has who sees a release."""
        if not len(released):
            raise PartError("nobody can learn from a release without records")
        hidden = (HiddenClasses.of(s, released.columns[s.name]) for s in secrets)
        return cls(released.select(known.schema.names), known, tuple(hidden))

    def within(self, learn: Rows, ask: Rows) -> Rebuilding:
        """Learn from some released records only, and rebuild others of them."""
        hidden = tuple(replace(column, codes=column.codes[learn]) for column in self.hidden)
        return Rebuilding(self.shown.take(learn), self.shown.take(ask), hidden)

    def encode(self) -> tuple[Rows, Rows, list[int]]:
        """Known columns in a few classes: of released records, of people, and their numbers."""
        names = self.shown.schema.names
        classes = [ValueClasses.of(self.shown, name, _CODES) for name in names]
        sides = (np.array([c.encode(side) for c in classes]) for side in (self.shown, self.known))
        shown, known = sides
        return shown.astype(np.int64), known.astype(np.int64), [c.size for c in classes]


class RebuildingAttack(Attack):
    """An attack that says how likely each value of each hidden column is, and guesses from that.

    Parameters
    ----------
    rarity : 0 guesses the likeliest value. 1 guesses the value that is likeliest compared with its
        share in the release, which is best where rare values count more.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (AttributeQuestion, HiddenColumnsQuestion)

    rarity: Annotated[float, Field(ge=0, le=1)] = 0.0

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Learn from the release, and guess every hidden column of every target."""
        question, source = knowledge.question, self.source(knowledge, release)
        if isinstance(question, AttributeQuestion):
            task = Rebuilding.of(question.records(), (question.secret,), source)
            return question.answer(self._choose(task, rng)[0])
        question = knowledge.question_as(HiddenColumnsQuestion)
        task = Rebuilding.of(question.records(), question.secrets, source)
        names = [secret.name for secret in question.secrets]
        return question.answer(dict(zip(names, self._choose(task, rng), strict=True)))

    def source(self, knowledge: Knowledge, release: Release) -> Table:
        """The records from which the attack learns: those of the release."""
        return as_table(release.data)

    @abstractmethod
    def believe(self, task: Rebuilding, *, rng: np.random.Generator) -> list[Floats]:
        """For each hidden column the probability of each class, one row per person."""

    def _choose(self, task: Rebuilding, rng: np.random.Generator) -> list[Array]:
        beliefs = zip(task.hidden, self.believe(task, rng=rng), strict=True)
        return [hidden.choose(shares, self.rarity) for hidden, shares in beliefs]


def log_loss(shares: Floats, codes: Rows) -> float:
    """The mean surprise, in nats, at the true classes.

    >>> round(log_loss(np.array([[0.5, 0.5]]), np.array([1])), 4)
    0.6931
    """
    own = shares[np.arange(len(codes)), codes]
    return float(-np.log(np.maximum(own, 1e-9)).mean())


def normalise(weights: Floats) -> Floats:
    """Rows of weights as probabilities."""
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
