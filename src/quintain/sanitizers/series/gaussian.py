"""Gaussian noise for series, drawn from the secret stream; and an order that tells nothing."""

from __future__ import annotations

import numpy as np

from quintain.data import Series
from quintain.data.arrays import Floats
from quintain.kernels.series_preparation import PADDING, Prepared
from quintain.noise import Noise


def standard_normal(noise: Noise, size: int) -> Floats:
    """Normal deviates with 53 random bits each.

    For the contest's baselines, which claim no differential privacy: floating-point noise can be
    told from the low bits of a sum, so what makes a claim uses the integers of ``Noise``.
    """
    from scipy.special import ndtri  # slow to import

    return np.asarray(ndtri(np.maximum(noise.uniform(size), 2.0**-54)))


def padded_spread(prepared: Prepared) -> Floats:
    """The standard deviation of each column of the padded array, its padding counted."""
    cells = len(prepared) * prepared.steps
    padding = cells - len(prepared.values)
    centre = (prepared.values.sum(axis=0) + padding * PADDING) / cells
    square = ((prepared.values - centre) ** 2).sum(axis=0) + padding * (PADDING - centre) ** 2
    return np.asarray(np.sqrt(square / cells))


def with_noise(prepared: Prepared, scale: float, noise: Noise, *, keep_time: bool) -> Floats:
    """Prepared values with noise of ``scale`` times the spread of their column."""
    out = np.array(prepared.values)
    for j, spread in enumerate(padded_spread(prepared)):
        if j > 0 or not keep_time:
            out[:, j] += scale * spread * standard_normal(noise, len(out))
    return out


def in_random_order(series: Series, noise: Noise) -> Series:
    """The same persons in an order that tells nothing, numbered by it."""
    mixed = series.take(np.argsort(noise.words(len(series)), kind="stable"))
    return Series(mixed.schema, np.arange(len(mixed)), mixed.offsets, mixed.values)
