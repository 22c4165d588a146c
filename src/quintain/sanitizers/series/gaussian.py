"""Gaussian noise for series, and a random order of persons, from the secret noise."""

from __future__ import annotations

import numpy as np

from quintain.data import Series
from quintain.data.arrays import Floats
from quintain.kernels.series_preparation import PADDING, PreparedSeries
from quintain.noise import Noise


def standard_normal(noise: Noise, size: int) -> Floats:
    """Standard normal numbers with 53 random bits each.

    They are for the contest's baselines, which claim no differential privacy. The low bits of a sum
    can reveal floating-point noise, so sanitizers with a claim use the integers of ``Noise``.
    """
    from scipy.special import ndtri  # slow to import

    return np.asarray(ndtri(np.maximum(noise.uniform(size), 2.0**-54)))


def padded_spread(prepared: PreparedSeries) -> Floats:
    """The standard deviation of each column of the padded array, padding included."""
    cells = len(prepared) * prepared.steps
    padding = cells - len(prepared.values)
    centre = (prepared.values.sum(axis=0) + padding * PADDING) / cells
    square = ((prepared.values - centre) ** 2).sum(axis=0) + padding * (PADDING - centre) ** 2
    return np.asarray(np.sqrt(square / cells))


def with_noise(prepared: PreparedSeries, scale: float, noise: Noise, *, keep_time: bool) -> Floats:
    """Add noise of ``scale`` times the spread of each column to prepared values."""
    out = np.array(prepared.values)
    for j, spread in enumerate(padded_spread(prepared)):
        if j > 0 or not keep_time:
            out[:, j] += scale * spread * standard_normal(noise, len(out))
    return out


def in_random_order(series: Series, noise: Noise) -> Series:
    """The same persons in random order, with new numbers."""
    mixed = series.take(np.argsort(noise.words(len(series)), kind="stable"))
    return Series(mixed.schema, np.arange(len(mixed)), mixed.offsets, mixed.values)
