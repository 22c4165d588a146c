"""Bin and swap: replace a value by a similar value of any person."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Series, as_series
from quintain.data.arrays import Floats
from quintain.kernels.series import PADDING, longest, within_bounds
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.series.noise import in_random_order, standard_normal

EDGE = 1e-4
"""A scaled value this close to a person's smallest or largest value does not change."""

SHIPPED = 1e-7
"""What the program of 2020 added to a span, so that it did not divide by 0."""


@register("bin-swap-v1")
class BinSwap(Sanitizer):
    """Replaces each value by a random value of its bin; missing values stay missing.

    Each person's features are scaled to 0..1 by that person's smallest and largest value. As in
    the contest, padding counts as -1 and a missing value as 0. The scaled values of all persons
    are cut into ``bins`` bins of equal counts. Each value is replaced by a random one of its bin
    and scaled back. Time gets a little noise. The Golden_Fleece team used this in Hide-and-Seek.
    It keeps the times (nearly), the lengths, the largest values and the pattern of missing values
    of every person, so it protects nobody.

    >>> import quintain as q
    >>> from quintain.testing.examples import SERIES
    >>> rows = [[0, 60, 36], [1, 62, 38], [2, 70, 37], [0, 90, 39], [1, 88, 37], [2, 80, 38]]
    >>> stays = q.Series(SERIES, ids=[7, 8], offsets=[0, 3, 6], values=rows)
    >>> release = q.sanitize("bin-swap", stays, bins=1, time_noise=0, seed=2)
    >>> print(release.to_pandas().round(1))
       stay  hour  pulse  fever
    0     0   0.0   90.0   39.0
    1     0   1.0   82.0   37.0
    2     0   2.0   80.0   38.0
    3     1   0.0   60.0   36.0
    4     1   1.0   62.0   38.0
    5     1   2.0   70.0   37.0

    Parameters
    ----------
    bins : the number of bins of a feature; all bins have equal counts.
    time_noise : the noise of time, as a share of the person's span of time.
    as_shipped : scale as the program of 2020 did: it divided by the span plus 1e-7 and multiplied
        by the span. A feature that is always 1 becomes 0.9999999 with rounding errors, and attacks
        that scale a release by its own extremes stretch these to noise.
    steps : the largest number of rows of a series; later rows are cut off. If not given, the
        longest series of the data sets it.

    References
    ----------
    Wang, Wang and Srivastava, Protecting User Data Privacy with Adversarial Perturbations (2021),
    and the team's solution to the NeurIPS 2020 Hide-and-Seek Privacy Challenge.
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)

    bins: Annotated[int, Field(ge=1, le=100_000)] = 33
    time_noise: Annotated[float, Field(ge=0, le=1)] = 0.0008
    as_shipped: bool = False
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Swap the values of each feature, and add noise to time."""
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
            scaled = (filled - low) / (span + (SHIPPED if self.as_shipped else 0.0))
            swapped = swap(scaled, self.bins, noise) * span + low
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
                detail=f"Gaussian, {100 * self.time_noise:g} % of a person's span of time",
            ),
        )
        return Sanitized(Release(in_random_order(released, noise), methods=methods))


def swap(scaled: Floats, bins: int, noise: Noise) -> Floats:
    """Replace each value inside 0..1 by a random one of its bin; values at the edges stay."""
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
    """Each person's smallest value and the distance to the largest, padding included."""
    has_rows = series.lengths > 0
    low, high = np.full(len(series), np.inf), np.full(len(series), -np.inf)
    if has_rows.any():
        starts = series.offsets[:-1][has_rows]
        low[has_rows] = np.minimum.reduceat(column, starts)
        high[has_rows] = np.maximum.reduceat(column, starts)
    padded = series.lengths < steps
    low[padded] = np.minimum(low[padded], PADDING)
    high[padded] = np.maximum(high[padded], PADDING)
    return low, np.where(high > low, high - low, 1.0)
