"""Lagged Gaussian: draw new series from means and covariances alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, as_series
from quintain.data.arrays import Floats, Rows
from quintain.kernels.series import PreparedSeries, longest, prepare
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.series.noise import standard_normal


@register("lagged-gaussian-v1")
class LaggedGaussian(Sanitizer):
    """Draws new series from the mean, the covariance and the lagged covariance of all rows.

    Each row follows from the one before it by a linear model with Gaussian noise. Waiting times are
    log-normal, and lengths follow the two first moments of their logarithm. So a release has what
    linear models learn, and nothing of one person but their share in these averages. Values have no
    other bounds than those of the schema, because the range of the private data belongs to single
    persons. Outliers are moved to two quantiles first, so that one person's share is small. Nothing
    is claimed: averages of few persons with many features still give members away.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("lagged-gaussian", stays, seed=1)
    >>> [round(float(np.nanmean(side.values[:, 1]))) for side in (stays, release.data)]
    [70, 69]

    Parameters
    ----------
    shrinkage : how far covariances between columns, and with the row before, are moved towards 0.
    tails : the share of values at either end of a feature that is moved to the quantile there.
    steps : the largest number of rows of a series; later rows are cut off. If not given, the
        longest series of the data sets it.
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)

    shrinkage: Annotated[float, Field(ge=0, le=1)] = 0.3
    tails: Annotated[float, Field(ge=0, lt=0.5)] = 0.01
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Compute the averages, then draw lengths, waiting times and rows."""
        series = as_series(data)
        prepared = prepare(series, self.steps or longest(series))
        lengths = _lengths(prepared, noise)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        values = np.zeros((int(offsets[-1]), prepared.values.shape[1]))
        if len(values):
            values[:, 0] = _times(prepared, offsets, noise)
            values[:, 1:] = fit(prepared, self.tails, self.shrinkage).draw(offsets, noise)
        method = Method(
            name="synthetic data generation",
            columns=prepared.schema.names[1:],
            rows=len(prepared),
            detail="Gaussian, by the row before",
        )
        return Sanitized(Release(prepared.restore(values, offsets), methods=(method,)))


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A row is a mean, a share of the deviation of the row before it, and noise.

    Parameters
    ----------
    mean : of each feature.
    first : a root of the covariance of a first row.
    carried : what each feature of the row before adds.
    noise : a root of the covariance of the noise.
    """

    mean: Floats
    first: Floats
    carried: Floats
    noise: Floats

    def draw(self, offsets: Rows, noise: Noise) -> Floats:
        """Draw the rows of persons of these lengths, step by step for all persons at once."""
        features = len(self.mean)
        fresh = standard_normal(noise, int(offsets[-1]) * features).reshape(-1, features)
        out = np.empty_like(fresh)
        lengths, starts = np.diff(offsets), offsets[:-1]
        for step in range(int(lengths.max(initial=0))):
            rows = starts[lengths > step] + step
            if step == 0:
                out[rows] = fresh[rows] @ self.first.T
            else:
                out[rows] = out[rows - 1] @ self.carried.T + fresh[rows] @ self.noise.T
        return out + self.mean


def fit(prepared: PreparedSeries, tails: float, shrinkage: float) -> LinearModel:
    """Fit the linear model to the features of prepared series."""
    features = prepared.values[:, 1:]
    low, high = np.quantile(features, [tails, 1 - tails], axis=0)
    features = np.clip(features, low, high)
    mean = features.mean(axis=0)
    away = features - mean
    later = np.ones(len(away), bool)
    later[prepared.offsets[:-1][prepared.lengths > 0]] = False
    later_rows = np.flatnonzero(later)
    covariance = away.T @ away / len(away)
    lagged = away[later_rows].T @ away[later_rows - 1] / max(1, len(later_rows))
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    scale = np.outer(spread, spread)
    now, before = (_shrunk(side / scale, shrinkage) for side in (covariance, lagged))
    carried = np.linalg.solve(now + 1e-6 * np.eye(len(mean)), before.T).T
    rest = now - carried @ before.T
    wide = spread[:, None]
    return LinearModel(mean, wide * _root(now), wide * carried / spread, wide * _root(rest))


def _shrunk(correlations: Floats, shrinkage: float) -> Floats:
    """Correlations moved towards 0; the diagonal stays."""
    return np.asarray((1 - shrinkage) * correlations + shrinkage * np.diag(np.diag(correlations)))


def _root(covariance: Floats) -> Floats:
    """A matrix whose product with its transpose is the covariance; negative parts become 0."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))


def _lengths(prepared: PreparedSeries, noise: Noise) -> Rows:
    """Log-normal lengths between 1 and the largest number of rows."""
    known = np.log(np.maximum(prepared.lengths, 1))
    if len(known) == 0:
        return np.zeros(0, np.int64)
    drawn = np.exp(known.mean() + known.std() * standard_normal(noise, len(known)))
    return np.asarray(np.clip(np.rint(drawn), 1, prepared.steps), np.int64)


def _times(prepared: PreparedSeries, offsets: Rows, noise: Noise) -> Floats:
    """Times from 0: each person has a usual waiting time, and each wait differs from it."""
    waits = np.diff(prepared.values[:, 0], prepend=0.0)
    first = np.zeros(len(waits), bool)
    first[prepared.offsets[:-1][prepared.lengths > 0]] = True
    owner = np.repeat(np.arange(len(prepared)), prepared.lengths)
    logs = np.log(np.maximum(waits[~first], 1e-3))
    if len(logs) == 0:
        return np.zeros(int(offsets[-1]))
    counts = np.bincount(owner[~first], minlength=len(prepared))
    usual = np.bincount(owner[~first], logs, minlength=len(prepared)) / np.maximum(counts, 1)
    usual_known = usual[counts > 0]
    within = float((logs - usual[owner[~first]]).std())
    lengths = np.diff(offsets)
    person = np.repeat(
        usual_known.mean() + usual_known.std() * standard_normal(noise, len(lengths)), lengths
    )
    drawn = np.exp(np.minimum(person + within * standard_normal(noise, len(person)), 50))
    drawn[offsets[:-1][lengths > 0]] = 0.0
    total = np.cumsum(drawn)
    return np.asarray(total - np.repeat(total[offsets[:-1][lengths > 0]], lengths[lengths > 0]))
