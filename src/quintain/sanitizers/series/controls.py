"""Controls for series: releases that show whether a utility gate or an attack can be fooled."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Series, as_series
from quintain.kernels.series import longest, prepare, within_bounds
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.series.noise import standard_normal


@register("uniform-series-v1")
class UniformSeries(Sanitizer):
    """Draws every value uniformly between the smallest and the largest value of its column.

    This is a control. Only these extremes and the lengths of the series come from the data. The
    release has no other information, so a utility gate that it passes is useless. It passes the
    gate of Hide-and-Seek 2020.

    >>> import quintain as q
    >>> from quintain.testing.examples import SERIES
    >>> rows = [[0, 60, 36.5], [1, 62, 36.6], [0, 90, 39.0], [2, 85, 38.5]]
    >>> stays = q.Series(SERIES, ids=[7, 8], offsets=[0, 2, 4], values=rows)
    >>> print(q.sanitize("uniform-series", stays, seed=1).to_pandas().round(1))
       stay  hour  pulse  fever
    0     0   0.0   88.9   36.5
    1     0   0.2   67.5   36.9
    2     1   0.0   79.8   38.3
    3     1   1.4   89.0   37.8
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)
    keeps_nothing: ClassVar[bool] = True

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw lengths, then values, then sort the times of each person from 0 upwards."""
        series = as_series(data)
        prepared = prepare(series, longest(series))
        lengths = prepared.lengths[noise.integers(max(1, len(prepared)), len(prepared))]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shape = int(offsets[-1]), prepared.values.shape[1]
        values = noise.uniform(int(np.prod(shape))).reshape(shape)
        values[:, 0] *= prepared.values[:, 0].max(initial=0)
        person = np.repeat(np.arange(len(lengths)), lengths)
        values[:, 0] = values[np.lexsort((values[:, 0], person)), 0]
        has_rows = lengths > 0
        values[:, 0] -= np.repeat(values[offsets[:-1][has_rows], 0], lengths[has_rows])
        method = Method(name="synthetic data generation", rows=len(lengths), detail="uniform")
        return Sanitized(Release(prepared.restore(values, offsets), methods=(method,)))


@register("far-out-v1")
class FarOut(Sanitizer):
    """Puts one value far outside into every feature, and rounding errors into constant features.

    This is a control: it protects nobody and costs no utility. An attack that scales the release by
    its own smallest and largest value is blind after it: either one cell squeezes all other values
    into a corner, or rounding errors are stretched to the whole scale. Use it as the last step of a
    pipeline, after a sanitizer that gives people away.

    >>> import quintain as q
    >>> from quintain.testing.examples import SERIES
    >>> rows = [[0, 60, 36.5], [1, 62, 36.5], [0, 90, 36.5], [2, 85, 36.5]]
    >>> stays = q.Series(SERIES, ids=[7, 8], offsets=[0, 2, 4], values=rows)
    >>> print(q.sanitize("far-out", stays, distance=10, seed=1).to_pandas().round(1))
       stay  hour  pulse  fever
    0     7   0.0  390.0   36.5
    1     7   1.0   62.0   36.5
    2     8   0.0   90.0   36.5
    3     8   2.0   85.0   36.5

    Parameters
    ----------
    distance : how far outside the value is, in spans of the feature; 0 changes no value.
    jitter : the size of the rounding errors of a constant feature, as a share of its value.
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)

    distance: Annotated[float, Field(ge=0, le=1e6)] = 1000.0
    jitter: Annotated[float, Field(ge=0, le=1)] = 1e-15

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Change one cell of each feature that varies, and all cells of each that does not."""
        series = as_series(data)
        values = np.array(series.values)
        for j in range(1, values.shape[1]):
            measured = np.flatnonzero(~np.isnan(values[:, j]))
            if len(measured) == 0:
                continue
            low, high = values[measured, j].min(), values[measured, j].max()
            if high > low and self.distance > 0:
                cell = measured[noise.integers(len(measured), 1)]
                values[cell, j] = high + self.distance * (high - low)
            elif high == low:
                values[measured, j] *= 1 + self.jitter * standard_normal(noise, len(measured))
        out = Series(series.schema, series.ids, series.offsets, within_bounds(values, data.schema))
        method = Method(
            name="far-out values", rows=len(series), detail="one per feature; a control"
        )
        return Sanitized(Release(out, methods=(method,)))
