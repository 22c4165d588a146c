"""Sample: the private data of a sanitizer, and the secret of who is in them.

They are a random part of the population or all of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from quintain.data import Data, shape_of
from quintain.data.arrays import Rows
from quintain.errors import PartError
from quintain.registry import Part, register
from quintain.samples.overlap import draw_rows, seats_for


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

    def about(self, targets: Rows) -> Sample:
        """The same sample with these targets alone, numbered anew in their order."""
        places = np.full(len(self.members), -1)
        places[targets] = np.arange(len(targets))
        kept = np.flatnonzero(places[self.target_of] >= 0)
        kept = kept[np.argsort(places[self.target_of[kept]], kind="stable")]
        return replace(
            self,
            target_rows=self.target_rows[kept],
            target_of=places[self.target_of[kept]],
            members=self.members[targets],
        )


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

    @property
    def common(self) -> int | None:
        """How many records any two samples of teams have in common; None if chance decides it."""
        return None

    def seats(self, population: int) -> int | None:
        """How many samples a population of this size has; None if there is no limit."""
        return None

    def draw_seat(
        self,
        population: Data,
        seat: int,
        *,
        shared: np.random.Generator,
        rng: np.random.Generator,
    ) -> Sample:
        """Draw one of several samples that have :attr:`common` records in common.

        Parameters
        ----------
        seat : the place of the sample among all of them, from 0.
        shared : the same stream for every seat.
        rng : a stream of this seat alone.
        """
        return self.draw(population, rng=rng)

    @property
    def target_count(self) -> int | None:
        """How many targets there are, if the design alone says it."""
        return None

    def private_size(self, population: int) -> int | None:
        """How many records are drawn from a population of this size; None if that is random."""
        return None


def _is_none(value: int | None) -> bool:
    return value is None


def private_part(population: Data, rows: npt.ArrayLike, keep: str | None = None) -> Data:
    """The records in these rows as a sanitizer gets them: a plain table loses its ids.

    The id in ``keep`` stays, because it says whose row it is.
    """
    part, shape = population.take(rows), shape_of(population)
    ids = tuple(c.name for c in part.schema.columns if c.identifying and c.name != keep)
    if shape.keeps_ids or not ids:
        return part
    private: Data = shape.drop(part, ids)
    return private


@register("subset-v1")
class Subset(Design):
    """Draws records from the population uniformly, without replacement.

    >>> import numpy as np
    >>> from quintain.samples import Subset
    >>> from quintain.testing.examples import example_table
    >>> sample = Subset(rows=3).draw(example_table(rows=8), rng=np.random.default_rng(1))
    >>> sample.private, sample.members.tolist()
    (<Table 3 rows: colour, size, flag>, [False, False, True, True, False, False, True, False])

    Parameters
    ----------
    rows : how many records to draw. Give either this or ``fraction``.
    fraction : the share of the population to draw.
    overlap : how many records the samples of any two teams have in common, exactly: all teams have
        these records, and each has others that no other team has. Without it, every sample is
        drawn for itself, and chance decides.
    """

    rows: Annotated[int, Field(ge=1)] | None = None
    fraction: Annotated[float, Field(gt=0, le=1)] | None = None
    overlap: Annotated[int, Field(ge=0)] | None = Field(default=None, exclude_if=_is_none)

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.rows is None) == (self.fraction is None):
            raise ValueError("give either rows or fraction")
        if self.rows is not None and (self.overlap or 0) > self.rows:
            raise ValueError(
                f"overlap is {self.overlap}, more than a sample of {self.rows} rows has"
            )
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """A share of the population, and a fixed number of records."""
        return [cls(fraction=0.1), cls(rows=20), cls(rows=20, overlap=5)]

    @property
    def common(self) -> int | None:
        """``overlap``: the number is the same for any two teams."""
        return self.overlap

    def seats(self, population: int) -> int | None:
        """As many as there are records for, if the samples of teams overlap exactly."""
        if self.overlap is None:
            return None
        return seats_for(population, self.private_size(population), self.overlap)

    def private_size(self, population: int) -> int:
        """``rows``, or ``fraction`` of the population, rounded."""
        return self.rows if self.rows is not None else round(population * (self.fraction or 0))

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Draw the subset in random order."""
        size = len(population)
        wanted = self.private_size(size)
        if wanted > size:
            raise PartError(f"cannot draw {wanted} records from a population of {size}; lower rows")
        return self._sample(population, rng.choice(size, wanted, replace=False))

    def draw_seat(
        self,
        population: Data,
        seat: int,
        *,
        shared: np.random.Generator,
        rng: np.random.Generator,
    ) -> Sample:
        """Draw the common records, and others that no other seat has."""
        if self.overlap is None:
            return self.draw(population, rng=rng)
        size = len(population)
        wanted = self.private_size(size)
        chosen = draw_rows(size, wanted, self.overlap, seat, shared=shared, rng=rng)
        return self._sample(population, chosen)

    def _sample(self, population: Data, chosen: Rows) -> Sample:
        members = np.zeros(len(population), bool)
        members[chosen] = True
        everyone = np.arange(len(population))
        private = private_part(population, chosen)
        return Sample(population, private, everyone, everyone, members, chosen)


@register("whole-v1")
class Whole(Design):
    """Takes the whole population as the private sample; every record is a target and a member.

    >>> import numpy as np
    >>> from quintain.samples import Whole
    >>> from quintain.testing.examples import example_table
    >>> sample = Whole().draw(example_table(rows=3), rng=np.random.default_rng(1))
    >>> sample.private, sample.members.tolist()
    (<Table 3 rows: colour, size, flag>, [True, True, True])
    """

    def private_size(self, population: int) -> int:
        """Everybody in the population."""
        return population

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Take all records in their order."""
        rows = np.arange(len(population))
        everyone = np.ones(len(rows), bool)
        return Sample(population, private_part(population, rows), rows, rows, everyone, rows)
