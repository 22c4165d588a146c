"""Add noise: change every value of a series a little."""

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

    shapes: ClassVar[tuple[Shape, ...]] = ("series",)

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
        return Sanitized(
            Release(in_random_order(prepared.restored(values), noise), methods=methods)
        )
