"""Sample: what a sanitizer is given, and the secret of who is in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import Data, Table
from quintain.data.arrays import Rows
from quintain.registry import Part


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A private sample of a population, and which targets are in it.

    Parameters
    ----------
    population : the base data the sample was drawn from.
    private : the records the sanitizer is given, ids left out.
    target_rows : population rows that belong to a target, target after target.
    target_of : for each of those rows, which target it belongs to (0, 1, 2 ...).
    members : for each target, whether its rows are in ``private``.
    """

    population: Data
    private: Data
    target_rows: Rows
    target_of: Rows
    members: npt.NDArray[np.bool_]


class Design(Part, ABC):
    """How a private sample is drawn from a population."""

    family: ClassVar[str] = "sample"

    @abstractmethod
    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Draw a private sample."""

    @property
    def balanced(self) -> bool:
        """Whether exactly half of the targets are members, which everybody knows."""
        return False

    def private_size(self, population: int) -> int | None:
        """How many records of a population so large are in the sample, if that is fixed."""
        return None


def private_part(population: Data, rows: npt.ArrayLike) -> Data:
    """Some records of a population as a sanitizer gets them: a plain table loses its ids."""
    taken = population.take(rows)
    if not isinstance(taken, Table):
        return taken
    ids = [column.name for column in taken.schema.columns if column.kind == "id"]
    return taken.drop(*ids) if ids else taken
