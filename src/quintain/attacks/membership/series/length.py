"""Lengths: a release that keeps how many rows people have gives away how many there are of each."""

from __future__ import annotations

import numpy as np

from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack
from quintain.data import Series
from quintain.registry import register


@register("series-length-v1")
class SeriesLength(SeriesAttack):
    """Scores a target by how many released series there are for each target of its length.

    Parameters
    ----------
    steps : as for every attack on series.
    """

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Count lengths on both sides."""
        target_side, release_side = (
            np.bincount(side.lengths, minlength=steps + 1) for side in (targets, released)
        )
        return (release_side / np.maximum(target_side, 1))[targets.lengths]
