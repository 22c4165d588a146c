"""Noise for series: Gaussian noise from the secret noise, with persons or rows in random order."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from quintain.data import Data, Series, as_series
from quintain.data.arrays import Floats, Rows
from quintain.kernels.series import PADDING, PreparedSeries, longest, prepare
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer


@register("add-noise-v1")
class AddNoise(Sanitizer):
    """Fills in missing values and adds Gaussian noise to every cell; lengths stay.

    This is the first baseline of Hide-and-Seek. The noise of a column is ``s`` times the standard
    deviation of the contest's padded array. In that array features are between 0 and 1, and rows
    after the end of a series count as -1. Released values are in their original units, with time
    from 0. Nothing is claimed.

    >>> import quintain as q
    >>> from quintain.testing.examples import SERIES
    >>> rows = [[0, 60, 36.5], [1, 62, 36.6], [0, 90, 39.0], [2, 85, 38.5]]
    >>> stays = q.Series(SERIES, ids=[7, 8], offsets=[0, 2, 4], values=rows)
    >>> print(q.sanitize("add-noise", stays, keep_time=True, seed=1).to_pandas().round(1))
       stay  hour  pulse  fever
    0     0   0.0   89.5   38.9
    1     0   2.0   87.4   38.4
    2     1   0.0   58.4   36.2
    3     1   1.0   60.9   36.6

    Parameters
    ----------
    s : the strength of the noise.
    keep_time : whether times stay unchanged.
    steps : the largest number of rows of a series; later rows are cut off. If not given, the
        longest series of the data sets it.

    References
    ----------
    Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)

    s: Annotated[float, Field(ge=0, le=1000)] = 0.1
    keep_time: bool = False
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Fill in missing values, scale, add noise, scale back."""
        series = as_series(data)
        prepared = prepare(series, self.steps or longest(series))
        values = with_noise(prepared, self.s, noise, keep_time=self.keep_time)
        names = prepared.schema.names[2 if self.keep_time else 1 :]
        methods = (
            Method(name="imputation", detail="next value, last value, median"),
            Method(
                name="noise addition",
                columns=names,
                rows=len(prepared),
                detail=f"Gaussian, {self.s} standard deviations of the padded array",
            ),
        )
        return Sanitized(Release(in_random_order(prepared.restore(values), noise), methods=methods))


@register("noise-shuffle-v1")
class NoiseShuffle(Sanitizer):
    """Adds noise and gives every row to a random person; this method won Hide-and-Seek.

    All places of the contest's padded array, ``steps`` per person, are shuffled, with their rows
    and their padding. So a released person is a mixture of rows of many persons. Values are clipped
    to the range of the data, and the first time of each person becomes 0. This destroys the course
    over time. Yet each row is still the row of one person, and the clipped values publish the exact
    range of the data. The attack row-density uses both: if rows have many features, it identifies
    nearly everybody.

    >>> import quintain as q
    >>> from quintain.testing.examples import SERIES
    >>> rows = [[0, 60, 36.5], [1, 62, 36.6], [0, 90, 39.0], [2, 85, 38.5]]
    >>> stays = q.Series(SERIES, ids=[7, 8], offsets=[0, 2, 4], values=rows)
    >>> print(q.sanitize("noise-shuffle", stays, seed=1).to_pandas().round(1))
       stay  hour  pulse  fever
    0     0   2.0   80.8   38.3
    1     0   0.0   60.0   37.2
    2     1   0.8   61.7   36.7
    3     1   0.0   87.3   39.0

    Parameters
    ----------
    s : the strength of the noise, as in add-noise.
    clip : "data" clips values to the range of the private data, as in 2020, which publishes that
        range; "schema" clips them to the bounds that the columns have, if any.
    steps : the largest number of rows of a series; later rows are cut off. If not given, the
        longest series of the data sets it.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)

    s: Annotated[float, Field(ge=0, le=1000)] = 0.3
    clip: Literal["data", "schema"] = "data"
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Fill in missing values, scale, add noise, clip, shuffle, scale back."""
        series = as_series(data)
        steps = self.steps or longest(series)
        prepared = prepare(series, steps)
        values = with_noise(prepared, self.s, noise, keep_time=False)
        if len(values) and self.clip == "data":
            np.clip(values, prepared.values.min(axis=0), prepared.values.max(axis=0), out=values)
        rows, offsets = deal(len(values), len(prepared), steps, noise)
        values = values[rows]
        if len(values):
            first = np.minimum.reduceat(values[:, 0], offsets[:-1])
            values[:, 0] -= np.repeat(first, np.diff(offsets))
        methods = (
            Method(name="imputation", detail="next value, last value, median"),
            Method(
                name="noise addition",
                rows=len(prepared),
                detail=f"Gaussian, {self.s} standard deviations of the padded array, then clipped",
            ),
            Method(name="shuffling", rows=len(prepared), detail="rows over all persons and times"),
        )
        return Sanitized(Release(prepared.restore(values, offsets), methods=methods))


def deal(rows: int, persons: int, steps: int, noise: Noise) -> tuple[Rows, Rows]:
    """Shuffle all places; return the rows in their new order and the start of each person.

    A person without rows gets a copy of a random row, if there are any rows.
    """
    places = np.argsort(noise.words(persons * steps), kind="stable")[:rows]
    empty = np.setdiff1d(np.arange(persons), places // steps) if rows else np.zeros(0, np.int64)
    copied = noise.integers(rows, len(empty)) if len(empty) else empty
    places = np.concatenate([places, empty * steps])
    number = np.concatenate([np.arange(rows), copied])[np.argsort(places, kind="stable")]
    counts = np.bincount(places // steps, minlength=persons)
    return number, np.concatenate([[0], np.cumsum(counts)])


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
