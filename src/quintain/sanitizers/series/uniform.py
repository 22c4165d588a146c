"""Uniform numbers: a release with the right shape and almost no information."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.data import Data
from quintain.data.schema import Shape
from quintain.kernels.series_preparation import as_series, longest, prepare
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer


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

    shapes: ClassVar[tuple[Shape, ...]] = ("series",)
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
        return Sanitized(Release(prepared.restored(values, offsets), methods=(method,)))
