"""Sample: the private data of a sanitizer, and the secret of who is in them."""

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
    population : the base data that the sample was drawn from.
    private : the records that the sanitizer gets, without ids.
    target_rows : the population rows of all targets, target after target.
    target_of : for each of those rows, the number of its target (0, 1, 2 ...).
    members : for each target, whether its rows are in ``private``.
    private_rows : for each record of ``private``, its row of the population; None if the design
        does not tell.
    """

    population: Data
    private: Data
    target_rows: Rows
    target_of: Rows
    members: npt.NDArray[np.bool_]
    private_rows: Rows | None = None


class Design(Part, ABC):
    """The plan by which a private sample is drawn from a population."""

    family: ClassVar[str] = "sample"

    @abstractmethod
    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Draw a private sample from the population."""

    @property
    def balanced(self) -> bool:
        """Whether exactly half of the targets are members, which is public."""
        return False

    def private_size(self, population: int) -> int | None:
        """How many records are drawn from a population of this size; None if that is random."""
        return None


def private_part(population: Data, rows: npt.ArrayLike) -> Data:
    """The records in these rows as a sanitizer gets them: a plain table loses its ids."""
    part = population.take(rows)
    if not isinstance(part, Table):
        return part
    ids = [column.name for column in part.schema.columns if column.kind == "id"]
    return part.drop(*ids) if ids else part
