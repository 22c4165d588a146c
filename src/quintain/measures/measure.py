"""Measure: how much attackers learned, or how useful a release still is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from quintain.data import Data
from quintain.data.arrays import Mask
from quintain.data.data_part import DataPart
from quintain.guesses import Goal, Guess, Question, Truth
from quintain.measures.blind_law import BlindLaw
from quintain.measures.reading import Direction, Reading
from quintain.registry import Part

Readings = Mapping[str, Reading]
About = Literal["privacy", "utility"]

READING_SEED = 0
"""The public seed of every published reading."""


def reading_rng() -> np.random.Generator:
    """The random generator for published readings; every call of a measure gets a new one.

    Its seed is public and the same for every release. So all releases are measured with the same
    draws, and participants who measure their own release get the organisers' figure.
    """
    return np.random.default_rng(READING_SEED)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One answered question: the right answer and the attacker's answer.

    Parameters
    ----------
    question : what was asked, for those who need to know more of the targets.
    """

    truth: Truth
    guess: Guess
    question: Question | None = None

    def of_targets(self, kept: Mask) -> Case:
        """The case as if only some targets, in the order of the truth, had been asked about."""
        truth, guess = self.truth.table, self.guess.table
        names = truth.columns["target"].astype(np.str_)[kept]
        answered = np.isin(guess.columns["target"].astype(np.str_), names)
        return Case(
            Truth(truth.take(np.flatnonzero(kept))),
            Guess(guess.take(np.flatnonzero(answered))),
            self.question,
        )


@dataclass(frozen=True, slots=True)
class Curve:
    """Several readings of one measure that the report draws as a line.

    Parameters
    ----------
    title : what the line shows.
    across : the label of the horizontal axis.
    readings : for each value on that axis, the name of a reading.
    even : whether neighbouring values have the same distance, whatever they are.
    """

    title: str
    across: str
    readings: Mapping[float, str]
    even: bool = False


class Measure(Part, ABC):
    """A part that turns guesses or a release into readings, each under a name.

    Its base class says what it reads: guesses (:class:`GuessMeasure`), or a release and its
    original (:class:`ReleaseMeasure`). An edition lists it under what it is about.

    Attributes
    ----------
    about : "privacy" if its readings say how much attackers learn about people, "utility" if they
        say how useful a release still is.
    within : the lowest and highest value it can read.
    """

    family: ClassVar[str] = "measure"
    about: ClassVar[About]
    within: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    @property
    @abstractmethod
    def reads(self) -> Mapping[str, Direction]:
        """The names of the readings, each with the direction that is better for people and users.

        A class variable is enough if the names do not depend on parameters. An edition may rename
        the reading of a measure that has only one.
        """

    @property
    def captions(self) -> Mapping[str, str]:
        """A short sentence per reading, by name; a reading without one shows the summary."""
        return {}

    @property
    def chance(self) -> Mapping[str, float]:
        """The expected value of a blind guess, by name of the reading, where it is known."""
        return {}

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Which of its readings the report draws as lines."""
        return ()

    def caption(self, name: str) -> str:
        """Explain one reading in a sentence."""
        return self.captions.get(name, self.summary())


class GuessMeasure(Measure):
    """A measure of how much an attacker learned, over one or more repetitions of an experiment.

    Attributes
    ----------
    reads_goal : the goals whose guesses it can read.
    """

    about: ClassVar[About] = "privacy"
    reads_goal: ClassVar[tuple[type[Goal], ...]] = ()
    within: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def weighted(self) -> bool:
        """Whether the attacker chooses how much each target counts.

        Contests never show scores of such a measure: weights in powers of two would put one label
        into each digit. A class variable is enough if it does not depend on parameters.
        """
        return False

    @property
    def finds_records(self) -> bool:
        """Whether it says which records an attacker found, by :meth:`found_records`."""
        return False

    def found_records(self, case: Case) -> Mask:
        """Which records of one truth the attacker found, in the order of the truth.

        A record is what the measure counts: a target, a row, or a person in a month.
        """
        raise TypeError(f"{self.id} does not say which records were found")

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """The law of its reading under blind guessing, if it follows from the sizes alone."""
        return None

    def in_people(self, value: float) -> str:
        """Explain a value of its first reading for a hundred people; empty if nothing fits."""
        return ""

    @abstractmethod
    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Give the readings over all repetitions of one release against one attacker."""


class ReleaseMeasure(Measure, DataPart):
    """A measure that compares a release with its original: its utility, or what it gives away.

    Attributes
    ----------
    aligned : whether record i of the release must stand for record i of the original.
    """

    about: ClassVar[About] = "utility"
    aligned: ClassVar[bool] = False

    @abstractmethod
    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Give the readings of one release; ``test`` holds further records of the population."""
