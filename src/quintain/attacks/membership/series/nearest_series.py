"""Nearest series: targets close to a released series are guessed to be members.

The density ratio corrects for ordinary people: a member is close to a released series, and to no
other person.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, Scores
from quintain.data import Series
from quintain.kernels.series import Compare, cloud, nearest, only_times
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
            cloud(side, self.compare) for side in self.prepare_sides(targets, released, steps)
        )
        return -nearest(target_side, release_side)[0]


@register("series-density-ratio-v1")
class SeriesDensityRatio(PreparedSeriesAttack):
    r"""Compares how near the closest released series is with how near the closest other target is.

    $$ \log d(x, targets \setminus x) - \log d(x, release) $$

    Up to a factor this is the logarithm of the ratio of two densities, each estimated from the
    nearest neighbour. DOMIAS compares densities with other estimates. The ratio corrects for
    ordinary people, who are close to many series.

    Parameters
    ----------
    compare : all columns, only the times, or only the features.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    Van Breugel, Sun, Qian and van der Schaar, Membership Inference Attacks against Synthetic Data
    through Overfitting Detection (DOMIAS), AISTATS 2023.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("series-density-ratio", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.97; chance is 0.50'
    """

    compare: Compare = "all"

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Find the nearest released series and the nearest other target of each target."""
        target_side, release_side = (
            cloud(side, self.compare) for side in self.prepare_sides(targets, released, steps)
        )
        if len(targets) < 2:
            return np.zeros(len(targets))
        apart = nearest(target_side, target_side, others=True)[0]
        # Copies have distance 0, so both distances get the same small number added.
        little = 1e-9 * (float(np.median(apart)) or 1.0)
        return np.asarray(
            np.log(apart + little) - np.log(nearest(target_side, release_side)[0] + little)
        )
