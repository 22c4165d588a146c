"""Subset: a random part of the population, where everybody in the population is a target."""

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
        """A share of the population, and a fixed number of records."""
        return [cls(fraction=0.1), cls(rows=20)]

    def private_size(self, population: int) -> int:
        """``rows``, or ``fraction`` of the population, rounded."""
        return self.rows if self.rows is not None else round(population * (self.fraction or 0))

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Draw the subset in random order."""
        size = len(population)
        wanted = self.private_size(size)
        if wanted > size:
            raise PartError(f"cannot draw {wanted} records from a population of {size}; lower rows")
        chosen = rng.choice(size, wanted, replace=False)
        members = np.zeros(size, bool)
        members[chosen] = True
        everyone = np.arange(size)
        private = private_part(population, chosen)
        return Sample(population, private, everyone, everyone, members, chosen)
