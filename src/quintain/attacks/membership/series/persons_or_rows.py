"""Persons or rows: match persons where the release keeps them apart, else compare rows.

The attack that won Hide-and-Seek.
"""

from __future__ import annotations

import numpy as np

from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.row_distance import RowDistance
from quintain.attacks.membership.series.series_attack import Scores
from quintain.data import Series
from quintain.registry import register


@register("mikan-v1")
class PersonsOrRows(RowDistance):
    """Pairs persons if every released length could be a target's own, else compares rows.

    If for each length there are no more released series than targets, the sanitizer may have kept
    its persons, and greedy matching without time finds them; if not, persons were mixed, and only
    the distance between rows is left.

    Parameters
    ----------
    released_rows, steps, scaled_by : as for row-distance.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.
    """

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Look at the lengths, then do one or the other."""
        target_side, release_side = (
            np.bincount(side.lengths, minlength=steps + 1) for side in (targets, released)
        )
        if (release_side <= target_side).all():
            matching = GreedyMatching(scaled_by=self.scaled_by)
            return matching.scores(targets, released, steps, rng=rng)
        return super().scores(targets, released, steps, rng=rng)
