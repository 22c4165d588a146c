"""Measure: how much an attacker found out, or how much a release is still good for."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from quintain.data import Data
from quintain.data.schema import Shape
from quintain.guesses import Goal, Guess, Truth
from quintain.measures.blind_law import BlindLaw
from quintain.measures.reading import Direction, Reading
from quintain.registry import Part

Readings = Mapping[str, Reading]
About = Literal["privacy", "utility"]

READING_SEED = 0
"""The public seed of every published reading."""


def reading_rng() -> np.random.Generator:
    """The generator that published readings are made with, new for each call of a measure.

    Its seed is the same for every release and is no secret: all releases are read with the same
    draws, and participants who measure their own release get the figure of the organisers.
    """
    return np.random.default_rng(READING_SEED)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One answered question: the right answer, and the attacker's."""

    truth: Truth
    guess: Guess


@dataclass(frozen=True, slots=True)
class Curve:
    """Readings that people would rather see as a line than as a table.

    Parameters
    ----------
    title : what the line shows.
    across : what stands along its axis.
    readings : for each place on that axis the name of a reading.
    """

    title: str
    across: str
    readings: Mapping[float, str]


class Measure(Part, ABC):
    """Gives readings, each under a name.

    What it reads decides its base class: guesses (:class:`GuessMeasure`), or a release beside its
    original (:class:`ReleaseMeasure`). What it is about decides where an edition lists it.

    Attributes
    ----------
    about : "privacy" if its readings say how much is found out about people, "utility" if they
        say how much a release is still good for.
    within : the lowest and highest value it can read.
    """

    family: ClassVar[str] = "measure"
    about: ClassVar[About]
    within: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    @property
    @abstractmethod
    def reads(self) -> Mapping[str, Direction]:
        """The names of the readings, each with the direction that is better for people and users.

        A class variable will do where the names do not depend on parameters. An edition may rename
        the reading of a measure that has only one.
        """

    @property
    def captions(self) -> Mapping[str, str]:
        """A short sentence for each reading, by name; the summary stands in where there is none."""
        return {}

    @property
    def chance(self) -> Mapping[str, float]:
        """What a blind guess is expected to read, by name, where that is known beforehand."""
        return {}

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Which of its readings are best drawn as lines."""
        return ()

    def caption(self, name: str) -> str:
        """What a reading says, in a sentence."""
        return self.captions.get(name, self.summary())


class GuessMeasure(Measure):
    """How much an attacker found out, over one or more repetitions of the same experiment.

    Attributes
    ----------
    reads_goal : the goals whose guesses it can read.
    weighted : whether the attacker chooses how much each target counts. Shown scores of such a
        measure give labels away fast.
    """

    about: ClassVar[About] = "privacy"
    reads_goal: ClassVar[tuple[type[Goal], ...]] = ()
    weighted: ClassVar[bool] = False
    within: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """How its reading is distributed under blind guesses, if the sizes alone say so."""
        return None

    def in_people(self, value: float) -> str:
        """What a value of its first reading means for a hundred people; empty if unknown."""
        return ""

    @abstractmethod
    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Readings over all repetitions of one release against one attacker."""


class ReleaseMeasure(Measure):
    """What a release says beside its original: how useful it is, or how much it gives away.

    Attributes
    ----------
    shapes : the kinds of data it can read.
    aligned : whether it takes record i of the release to stand for record i of the original.
    """

    about: ClassVar[About] = "utility"
    shapes: ClassVar[tuple[Shape, ...]] = ("table",)
    aligned: ClassVar[bool] = False

    @abstractmethod
    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Readings for one release; ``test`` has further records of the population, if given."""
