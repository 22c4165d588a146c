"""Whole: the sanitizer gets the whole population, so everybody is a member."""

from __future__ import annotations

import numpy as np

from quintain.data import Data
from quintain.registry import register
from quintain.samples.sample import Design, Sample, private_part


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
