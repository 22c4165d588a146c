"""Measure: how much a guess found out, or how much a release is still good for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from quintain.data import Data
from quintain.data.schema import Shape
from quintain.guesses import Goal, Guess, Truth
from quintain.measures.blind_law import BlindLaw
from quintain.measures.reading import Direction, Reading
from quintain.registry import Part

Readings = Mapping[str, Reading]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One answered question: what the attacker should have said, and said."""

    truth: Truth
    guess: Guess


class Measure(Part, ABC):
    """Gives readings, each under a name.

    Attributes
    ----------
    reads : the names of the readings it gives, each with the direction that is better for people
        and users; with a single one, an edition may rename it.
    """

    family: ClassVar[str] = "measure"

    @property
    @abstractmethod
    def reads(self) -> Mapping[str, Direction]:
        """The names of the readings, with the direction that is better."""


class PrivacyMeasure(Measure):
    """How much an attacker found out, over one or more repetitions of the same experiment.

    Attributes
    ----------
    weighted : whether the attacker chooses how much each target counts. Shown scores of such a
        measure give labels away fast.
    within : the lowest and highest value it can read.
    """

    weighted: ClassVar[bool] = False
    within: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def chance(self) -> Mapping[str, float]:
        """What guessing blindly is expected to read, by name, where that is known beforehand."""
        return {}

    def blind_law(self, goal: Goal, population: int, private: int) -> BlindLaw | None:
        """How its reading is distributed when nobody looks, from the sizes alone, if known."""
        return None

    @abstractmethod
    def measure(self, cases: Sequence[Case]) -> Readings:
        """Readings over all repetitions of one release against one attacker."""


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


class UtilityMeasure(Measure):
    """How much of the original's information a release keeps.

    Attributes
    ----------
    shapes : the kinds of data it can read.
    aligned : whether it takes record i of the release to stand for record i of the original.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("table",)
    aligned: ClassVar[bool] = False

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Which of its readings are best drawn as lines."""
        return ()

    @abstractmethod
    def measure(self, original: Data, release: Data, test: Data | None) -> Readings:
        """Readings for one release; ``test`` has further records of the population, if given."""
