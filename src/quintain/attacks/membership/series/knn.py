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

    The distance is Euclidean over the padded array laid flat. Time is not scaled, so it counts for
    more the finer its unit. With ``compare = "all"`` this is the baseline of Hide-and-Seek, with
    ``compare = "time"`` the TimeKNN of the Golden_Fleece team, which beats it where times are kept.

    Parameters
    ----------
    compare : all columns, only the times, or only the features.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.
    """

    compare: Compare = "all"

    @classmethod
    def examples(cls) -> list[Self]:
        """KNN, TimeKNN and KNN without time."""
        return [cls(), cls(compare="time"), cls(compare="features", scaled_by="targets")]

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Search the release for each target."""
        if self.compare == "time":
            targets, released = only_times(targets), only_times(released)
        target_side, release_side = (
            cloud(side, self.compare) for side in self.prepared(targets, released, steps)
        )
        return -nearest(target_side, release_side)[0]
