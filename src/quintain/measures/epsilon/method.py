"""EpsilonMethod: one way to turn the scores of many runs into a lower bound on epsilon."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.reading import LEVEL, Reading

Design = Literal["sides", "coins"]
"""How the runs were planned: so many with and so many without the person, or by tossing coins."""


@dataclass(frozen=True)
class EpsilonMethod(ABC):
    """A lower bound on epsilon, from scores of runs with a person and of runs without that person.

    ``name`` says which method it is, and ``guarantee`` says in a sentence what its bound promises.
    ``design`` is "sides" if the numbers of runs with and without may be planned. It is "coins" if
    a fair coin of its own must have decided for each score whether the person is in the data.
    """

    name: ClassVar[str]
    guarantee: ClassVar[str]
    design: ClassVar[Design] = "sides"

    @abstractmethod
    def bound(
        self,
        with_it: Floats,
        without: Floats,
        *,
        delta: float = 0.0,
        level: float = LEVEL,
        rng: np.random.Generator,
    ) -> Reading:
        """The least epsilon that the mechanism can have, given how well scores tell runs apart.

        Parameters
        ----------
        with_it, without : one score per run with the person, and per run without; a higher score
            says that the attack believes the person to be in the data.
        delta : the delta that the mechanism claims; the bound is on epsilon for this delta.
        level : how often the bound is at most the true epsilon, in the sense of ``guarantee``.
        rng : splits the runs and breaks ties.
        """

    @abstractmethod
    def ceiling(
        self, n_with: int, n_without: int, *, delta: float = 0.0, level: float = LEVEL
    ) -> float:
        """The highest bound that this method shows if an attack is never wrong."""

    def unfit(self, delta: float) -> Reading | None:
        """A reading that says why the method does not hold for this mechanism; None if it does."""
        return None

    def reading(self, value: float, n: int, level: float, detail: str = "") -> Reading:
        """The bound as a reading that names the method."""
        method = f"{self.name}, {detail}" if detail else self.name
        return Reading.at_least(value, n, "lower", method=method, level=level)


def refusal(with_it: Floats, without: Floats, least: int) -> Reading | None:
    """A reading that says why these scores bound nothing, or None if they can be used."""
    fewest = min(len(with_it), len(without))
    if fewest < least:
        note = f"{least} runs with and without the person are needed, and there are only {fewest}"
        return Reading.missing("lower", note)
    lost = int(np.isnan(with_it).sum() + np.isnan(without).sum())
    if lost:
        return Reading.missing("lower", f"runs without a score: {lost}")
    return None
