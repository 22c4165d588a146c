"""Persons or rows: match persons if the release keeps them apart, otherwise compare rows.

This attack won Hide-and-Seek.
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
    """Pairs whole persons if the released lengths allow it, and otherwise compares single rows.

    If no length has more released series than targets, the sanitizer may have kept persons apart,
    and greedy matching without time finds them. Otherwise persons were mixed, and the attack uses
    the distance between rows.

    Parameters
    ----------
    released_rows, steps, scaled_by : as for row-distance.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("mikan", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 1.00; chance is 0.50'
    """

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Choose between persons and rows by the released lengths."""
        target_side, release_side = (
            np.bincount(side.lengths, minlength=steps + 1) for side in (targets, released)
        )
        if (release_side <= target_side).all():
            matching = GreedyMatching(scaled_by=self.scaled_by)
            return matching.scores(targets, released, steps, rng=rng)
        return super().scores(targets, released, steps, rng=rng)
