"""Averages of series: do the averages of a release lean towards a target?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack, prepare_robustly
from quintain.data import Series
from quintain.data.arrays import Floats
from quintain.kernels.series import PreparedSeries
from quintain.registry import register


@register("series-averages-v1")
class SeriesAverages(SeriesAttack):
    r"""Scores a target by how far the moments of the release lean from everybody's towards its own.

    The moments of a person are the means of all columns, of their products, and of their products
    with the row before, times the number of rows. The moments of a release that was drawn from a
    model are those of its members, up to noise. With $t_i$ the moments of target i less those of
    all targets, r those of the release less those of all targets, and S the covariance of the
    $t_i$, the score is

    $$ t_i^T (S + \lambda I)^{-1} r. $$

    What it assumes: the attacker has the series of all targets, and neither the sanitizer nor any
    run of it. The release has the units of the data, and its moments are nearer to the members'
    than to those of all targets.

    Parameters
    ----------
    ridge : lambda, as a share of the mean variance of the moments.
    products : whether second moments count; without them, only means do.
    steps : as for every attack on series.

    References
    ----------
    Dwork, Smith, Steinke, Ullman and Vadhan, Robust traceability from trace amounts, FOCS 2015.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("noise-shuffle", stays.take(range(10)), seed=1)
    >>> guess = q.attack("series-averages", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.83; chance is 0.50'
    """

    ridge: Annotated[float, Field(gt=0, le=1000)] = 0.1
    products: bool = True

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Compare the moments of each target with those of the release."""
        target_side, release_side = prepare_robustly(targets, released, steps, timed=True)
        if not len(target_side.values) or not len(release_side.values):
            return np.zeros(len(targets))
        moments = SeriesMoments.of(target_side, products=self.products)
        sums, rows = moments.sums(target_side)
        usual = sums.sum(axis=0) / rows.sum()
        leaning = moments.mean(release_side) - usual
        away = (sums - rows[:, None] * usual) / rows.mean()
        # As many moments as squared columns, but few persons: the small matrix is persons wide.
        kernel = away @ away.T
        penalty = self.ridge * np.trace(kernel) / len(kernel)
        return np.linalg.solve(kernel + penalty * np.eye(len(kernel)), away @ leaning)


@dataclass(frozen=True, slots=True, eq=False)
class SeriesMoments:
    """How the rows of a person become moments: columns, and their products if asked for.

    Parameters
    ----------
    centre, spread : mean and standard deviation of each column over the targets' rows.
    products : whether products of columns count, in a row and with the row before.
    """

    centre: Floats
    spread: Floats
    products: bool

    @classmethod
    def of(cls, side: PreparedSeries, *, products: bool) -> SeriesMoments:
        """Standardise columns by these series; a column that does not vary has no moments."""
        return cls(side.values.mean(axis=0), side.values.std(axis=0), products)

    def sums(self, side: PreparedSeries) -> tuple[Floats, Floats]:
        """Sums of moments over the rows of each person, and the number of rows."""
        varies = self.spread > 0
        values = (side.values[:, varies] - self.centre[varies]) / self.spread[varies]
        columns = values.shape[1]
        width = columns + (columns * (3 * columns + 1) // 2 if self.products else 0)
        out = np.zeros((len(side), width), np.float32)
        upper = np.triu_indices(columns)
        for person, (start, end) in enumerate(
            zip(side.offsets[:-1], side.offsets[1:], strict=True)
        ):
            rows = values[start:end]
            parts = [rows.sum(axis=0)]
            if self.products:
                parts += [(rows.T @ rows)[upper], (rows[1:].T @ rows[:-1]).ravel()]
            out[person] = np.concatenate(parts)
        return out, side.lengths.astype(np.float64)

    def mean(self, side: PreparedSeries) -> Floats:
        """The moments of all persons together, for each row."""
        sums, rows = self.sums(side)
        return np.asarray(sums.sum(axis=0) / rows.sum())
