"""Everybody is in: the sanitizer is given the whole population."""

from __future__ import annotations

import numpy as np

from quintain.data import Data
from quintain.registry import register
from quintain.samples.sample import Design, Sample, private_part


@register("whole-v1")
class Whole(Design):
    """The whole population is the private sample; every record is a target and a member."""

    def draw(self, population: Data, *, rng: np.random.Generator) -> Sample:
        """Take everything, in order."""
        rows = np.arange(len(population))
        everyone = np.ones(len(rows), bool)
        return Sample(population, private_part(population, rows), rows, rows, everyone)
