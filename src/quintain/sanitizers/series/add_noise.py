"""Add noise: every value of a series a little off."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data
from quintain.data.schema import Shape
from quintain.kernels.series_preparation import as_series, longest, prepare
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Method, Release, Sanitized
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.series.gaussian import in_random_order, with_noise


@register("add-noise-v1")
class AddNoise(Sanitizer):
    """Completes missing values and adds Gaussian noise to every cell; rows and lengths stay.

    The first baseline of Hide-and-Seek. The noise of a column is ``s`` times the standard
    deviation of the contest's padded array, in which a row that is not there counts as -1 beside
    features between 0 and 1. Values come back in their own units, time from 0; nothing is claimed.

    Parameters
    ----------
    s : the strength of the noise.
    keep_time : leave the times alone.
    steps : a longer series is cut to its first rows, this many; if not given, the longest one of
        the data says how many there are.

    References
    ----------
    Jordon et al., Hide-and-Seek Privacy Challenge, arXiv:2007.12087.
    """

    shapes: ClassVar[tuple[Shape, ...]] = ("series",)

    s: Annotated[float, Field(ge=0, le=1000)] = 0.1
    keep_time: bool = False
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Complete, scale, add noise, scale back."""
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
        return Sanitized(
            Release(in_random_order(prepared.restored(values), noise), methods=methods)
        )
