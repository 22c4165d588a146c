"""Noise and shuffle: rows lose their persons."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data
from quintain.data.arrays import Rows
from quintain.data.schema import Shape
from quintain.kernels.series_preparation import as_series, longest, prepare
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.series.gaussian import with_noise


@register("noise-shuffle-v1")
class NoiseShuffle(Sanitizer):
    """Adds noise and deals all rows out to persons anew; the method that won Hide-and-Seek.

    The places of the contest's padded array, persons times ``steps``, are shuffled with their rows
    and their padding, so a new person is a handful of rows from everywhere. Values are put back
    into the range of the original ones and the first time of each person is set to 0. Nothing of
    the course over time is left. A row is still somebody's row, though: where rows have many
    features, row-distance finds more members than chance would.

    Parameters
    ----------
    s : the strength of the noise, as in add-noise.
    steps : a longer series is cut to its first rows, this many; if not given, the longest one of
        the data says how many there are.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("series",)

    s: Annotated[float, Field(ge=0, le=1000)] = 0.3
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Complete, scale, add noise, shuffle, clip, scale back."""
        series = as_series(data)
        steps = self.steps or longest(series)
        prepared = prepare(series, steps)
        values = with_noise(prepared, self.s, noise, keep_time=False)
        if len(values):
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
        return Sanitized(Release(prepared.restored(values, offsets), methods=methods))


def deal(rows: int, persons: int, steps: int, noise: Noise) -> tuple[Rows, Rows]:
    """Which row stands where after a shuffle of all places, and where each person begins.

    A person who would be left without rows gets a copy of a random one, if there are any.
    """
    places = np.argsort(noise.words(persons * steps), kind="stable")[:rows]
    empty = np.setdiff1d(np.arange(persons), places // steps) if rows else np.zeros(0, np.int64)
    copied = noise.integers(rows, len(empty)) if len(empty) else empty
    places = np.concatenate([places, empty * steps])
    number = np.concatenate([np.arange(rows), copied])[np.argsort(places, kind="stable")]
    counts = np.bincount(places // steps, minlength=persons)
    return number, np.concatenate([[0], np.cumsum(counts)])
