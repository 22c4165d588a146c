"""Nearest series: targets close to a released series are guessed to be members."""

from __future__ import annotations

from typing import Self

import numpy as np

from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, Scores
from quintain.data import Series
from quintain.kernels.series_distances import Compare, cloud, nearest
from quintain.kernels.series_preparation import only_times
from quintain.registry import register


@register("series-knn-v1")
class SeriesKnn(PreparedSeriesAttack):
    """Scores a target by the distance from its series to the nearest released one.

    The distance is Euclidean over all cells of the padded array. Time is not scaled, so it counts
    more if its unit is finer. With ``compare = "all"`` this is the baseline of Hide-and-Seek. With
    ``compare = "time"`` it is the TimeKNN of the Golden_Fleece team, which is stronger if the
    release keeps the times.

    Parameters
    ----------
    compare : all columns, only the times, or only the features.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("series-knn", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.95; chance is 0.50'
    """

    compare: Compare = "all"

    @classmethod
    def examples(cls) -> list[Self]:
        """KNN, TimeKNN and KNN without time."""
        return [cls(), cls(compare="time"), cls(compare="features", scaled_by="targets")]

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Find the nearest released series of each target."""
        if self.compare == "time":
            targets, released = only_times(targets), only_times(released)
        target_side, release_side = (
            cloud(side, self.compare) for side in self.prepared(targets, released, steps)
        )
        return -nearest(target_side, release_side)[0]
