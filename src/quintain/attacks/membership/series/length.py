"""Lengths: a release that keeps the number of rows per person shows which lengths are members."""

from __future__ import annotations

import numpy as np

from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack
from quintain.data import Series
from quintain.registry import register


@register("series-length-v1")
class SeriesLength(SeriesAttack):
    """Scores a target by the number of released series per target of the same length.

    Parameters
    ----------
    steps : as for every attack on series.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("series-length", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.95; chance is 0.50'
    """

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Count the series of each length on both sides."""
        target_side, release_side = (
            np.bincount(side.lengths, minlength=steps + 1) for side in (targets, released)
        )
        return (release_side / np.maximum(target_side, 1))[targets.lengths]
