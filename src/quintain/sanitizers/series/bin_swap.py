"""Bin and swap: a value becomes another of about the same size, anybody's."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Series
from quintain.data.arrays import Floats
from quintain.data.schema import Shape
from quintain.kernels.series_preparation import PADDING, as_series, longest, within_bounds
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.series.gaussian import in_random_order, standard_normal

EDGE = 1e-4
"""A scaled value this near to a person's smallest or largest one is left alone."""


@register("bin-swap-v1")
class BinSwap(Sanitizer):
    """Replaces each value by a random one of its bin; what was missing stays missing.

    Each person's features are scaled to 0..1 by that person's smallest and largest value (the
    contest's padding of -1 and its 0 for a missing value among them), pooled over all persons and
    cut into ``bins`` bins of equal counts; each value is drawn anew from its bin and scaled back.
    Time gets a trace of noise. By the Golden_Fleece team in Hide-and-Seek. It keeps the
    times, the lengths, the largest values and the pattern of missing values of every person, so it
    protects nobody.

    Parameters
    ----------
    bins : how many bins of equal counts a feature has.
    time_noise : the noise of time, as a share of the person's span of time.
    steps : a longer series is cut to its first rows, this many; if not given, the longest one of
        the data says how many there are.

    References
    ----------
    Wang, Wang and Srivastava, Protecting User Data Privacy with Adversarial Perturbations (2021),
    and the team's solution to the NeurIPS 2020 Hide-and-Seek Privacy Challenge.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("series",)

    bins: Annotated[int, Field(ge=1, le=100_000)] = 33
    time_noise: Annotated[float, Field(ge=0, le=1)] = 0.0008
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Swap feature after feature."""
        steps = self.steps or longest(as_series(data))
        series = as_series(data).head(steps)
        owner = np.repeat(np.arange(len(series)), series.lengths)
        out = np.array(series.values)
        for j in range(out.shape[1]):
            filled = np.nan_to_num(np.ascontiguousarray(series.values[:, j]), nan=0.0)
            low, span = (bound[owner] for bound in _range(filled, series, steps))
            if j == 0:
                out[:, 0] += self.time_noise * span * standard_normal(noise, len(out))
                continue
            swapped = swap((filled - low) / span, self.bins, noise) * span + low
            out[:, j] = np.where(np.isnan(series.values[:, j]), np.nan, swapped)
        out = within_bounds(out, series.schema)
        released = Series(series.schema, series.ids, series.offsets, out)
        methods = (
            Method(
                name="data swapping",
                columns=series.schema.names[2:],
                rows=len(series),
                detail=f"within {self.bins} bins of equal counts, relative to a person's range",
            ),
            Method(
                name="noise addition",
                columns=series.schema.names[1:2],
                rows=len(series),
                detail=f"Gaussian, {self.time_noise} of a person's span of time",
            ),
        )
        return Sanitized(Release(in_random_order(released, noise), methods=methods))


def swap(scaled: Floats, bins: int, noise: Noise) -> Floats:
    """Values inside 0..1 drawn anew from their bin of equal counts; those at the edges stay."""
    inside = np.flatnonzero((scaled > EDGE) & (scaled < 1 - EDGE))
    order = inside[np.argsort(scaled[inside], kind="stable")]
    edges = np.arange(bins + 1) * len(order) // bins
    size = np.repeat(np.diff(edges), np.diff(edges))
    begin = np.repeat(edges[:-1], np.diff(edges))
    drawn = begin + (noise.uniform(len(order)) * size).astype(np.int64)
    out = np.array(scaled)
    out[order] = scaled[order[drawn]]
    return out


def _range(column: Floats, series: Series, steps: int) -> tuple[Floats, Floats]:
    """Each person's smallest value and the distance to the largest, padding among them."""
    held = series.lengths > 0
    low, high = np.full(len(series), np.inf), np.full(len(series), -np.inf)
    if held.any():
        starts = series.offsets[:-1][held]
        low[held] = np.minimum.reduceat(column, starts)
        high[held] = np.maximum.reduceat(column, starts)
    padded = series.lengths < steps
    low[padded] = np.minimum(low[padded], PADDING)
    high[padded] = np.maximum(high[padded], PADDING)
    return low, np.where(high > low, high - low, 1.0)
