"""Density ratio of series: close to a released one, and to nobody else."""

from __future__ import annotations

import numpy as np

from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, Scores
from quintain.data import Series
from quintain.kernels.series_distances import Compare, cloud, nearest
from quintain.registry import register


@register("series-density-ratio-v1")
class SeriesDensityRatio(PreparedSeriesAttack):
    r"""Compares how near the closest released series is with how near the closest other target is.

    $$ \log d(x, targets \setminus x) - \log d(x, release) $$

    up to a factor the logarithm of the ratio of two densities, each estimated from the nearest
    neighbour, as DOMIAS does with other estimates. It takes out that unremarkable people are close
    to everything.

    Parameters
    ----------
    compare : all columns, only the times, or only the features.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    Van Breugel, Sun, Qian and van der Schaar, Membership Inference Attacks against Synthetic Data
    through Overfitting Detection, AISTATS 2023.
    """

    compare: Compare = "all"

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Search the release and the other targets for each target."""
        target_side, release_side = (
            cloud(side, self.compare) for side in self.prepared(targets, released, steps)
        )
        if len(targets) < 2:
            return np.zeros(len(targets))
        apart = nearest(target_side, target_side, others=True)[0]
        # Twins and copies have distance 0, so both distances get the same small start.
        little = 1e-9 * (float(np.median(apart)) or 1.0)
        return np.asarray(
            np.log(apart + little) - np.log(nearest(target_side, release_side)[0] + little)
        )
