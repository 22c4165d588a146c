"""A plain random part of the population; everybody in the population is a target."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data import Data
from quintain.errors import PartError
from quintain.registry import register
from quintain.samples.sample import Design, Sample, private_part


@register("subset-v1")
class Subset(Design):
    """Records drawn from the population uniformly, without replacement.

    Parameters
    ----------
    rows : how many; or
    fraction : which share of the population.
    """

    rows: Annotated[int, Field(ge=1)] | None = None
    fraction: Annotated[float, Field(gt=0, le=1)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.rows is None) == (self.fraction is None):
            raise ValueError("give either rows or fraction")
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """A tenth, and a number."""
        return [cls(fraction=0.1), cls(rows=20)]

    def private_size(self, population: int) -> int:
        """As many as the rules say."""
        return self.rows if self.rows is not None else round(population * (self.fraction or 0))

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Draw the subset; its order tells nothing."""
        size = len(population)
        wanted = self.private_size(size)
        if wanted > size:
            raise PartError(f"cannot draw {wanted} records from a population of {size}")
        chosen = rng.choice(size, wanted, replace=False)
        members = np.zeros(size, bool)
        members[chosen] = True
        everyone = np.arange(size)
        return Sample(population, private_part(population, chosen), everyone, everyone, members)
