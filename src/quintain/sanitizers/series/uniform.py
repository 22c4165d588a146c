"""Uniform numbers: the worst release that still has the right shape."""

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
    """Draws every value evenly between the smallest and the largest of its column.

    A control: nothing but these extremes and the lengths, which are drawn from those of the data,
    comes from anybody. Whoever plays it loses everything there was to learn, so a utility gate that
    it passes is no gate. Hide-and-Seek's of 2020 lets it through.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("series",)
    keeps_nothing: ClassVar[bool] = True

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw lengths, then values; times rise from 0."""
        series = as_series(data)
        prepared = prepare(series, longest(series))
        lengths = prepared.lengths[noise.integers(max(1, len(prepared)), len(prepared))]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shape = int(offsets[-1]), prepared.values.shape[1]
        values = noise.uniform(int(np.prod(shape))).reshape(shape)
        values[:, 0] *= prepared.values[:, 0].max(initial=0)
        person = np.repeat(np.arange(len(lengths)), lengths)
        values[:, 0] = values[np.lexsort((values[:, 0], person)), 0]
        held = lengths > 0
        values[:, 0] -= np.repeat(values[offsets[:-1][held], 0], lengths[held])
        method = Method(name="synthetic data generation", rows=len(lengths), detail="uniform")
        return Sanitized(Release(prepared.restored(values, offsets), methods=(method,)))
