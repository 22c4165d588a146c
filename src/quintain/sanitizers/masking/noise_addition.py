"""Noise addition: add random numbers to the numbers of a table."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from scipy.special import ndtri

from quintain.data import Column, Table
from quintain.data.arrays import Array, Floats, Rows
from quintain.data.codec import missing_cells
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking, as_stored, numeric

MOST = 1e300
"""Sums beyond this are clipped, so that a release has no infinite number."""


@register("noise-addition-v1")
class NoiseAddition(Masking):
    """Adds random noise to real numbers and integers, in proportion to how much a column varies.

    The standard deviation of the noise is ``share`` times that of the column. With ``together`` the
    noise of different columns is correlated as the columns are. Then the released correlations are
    those of the private data, up to chance and bounds. A sum outside the bounds of its column
    becomes the bound. Integers are rounded. A missing value stays missing. The noise claims no
    differential privacy.

    >>> import quintain as q
    >>> wage = q.Column(name="wage", kind="real", low=0, high=10)
    >>> people = q.Table.of(q.Schema(columns=(wage,)), {"wage": [1.5, 2.5, 4.0, 9.5]})
    >>> release = q.sanitize("noise-addition", people, share=0.5, seed=1)
    >>> [round(record["wage"], 2) for record in release.data.records()]
    [0.0, 1.26, 3.39, 10.0]

    Parameters
    ----------
    columns : the columns to change; all columns with numbers if not given.
    distribution : "gaussian" or "laplace".
    share : the standard deviation of the noise, as a share of that of the column.
    together : whether the noise has the correlations of the columns; for Gaussian noise only.

    References
    ----------
    Kim, A method for limiting disclosure in microdata based on random noise and transformation,
    ASA (1986). Brand, Microdata protection through noise addition, LNCS 2316 (2002).
    """

    method: ClassVar[str] = "noise addition"
    need: ClassVar[str] = "a number"

    distribution: Literal["gaussian", "laplace"] = "gaussian"
    share: Annotated[float, Field(gt=0, le=100)] = 0.1
    together: bool = False

    @classmethod
    def examples(cls) -> list[Self]:
        """Independent noise of both kinds, and correlated noise."""
        return [cls(), cls(distribution="laplace"), cls(together=True)]

    @model_validator(mode="after")
    def _can_correlate(self) -> Self:
        if self.together and self.distribution != "gaussian":
            raise ValueError("noise for all columns together must be gaussian")
        return self

    def fits(self, column: Column) -> bool:
        """Whether the column has numbers to add to."""
        return numeric(column)

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Add the noise to every number, then clip the sums to the bounds."""
        numbers = np.stack([data.numbers(name) for name in names])
        # Squares of very large numbers would overflow, so the largest number becomes 1.
        largest = np.nan_to_num(np.nanmax(np.abs(numbers), axis=1, initial=0))[:, None]
        unit = np.where(largest > 0, largest, 1.0)
        noises = np.stack([self._standard(len(data), noise) for _ in names])
        moved = numbers / unit + self.share * (self._scale(numbers / unit, names) @ noises)
        out = {}
        for row, name in enumerate(names):
            column = data.schema[name]
            low = -MOST if column.low is None else column.low
            high = MOST if column.high is None else column.high
            with np.errstate(over="ignore"):
                out[name] = as_stored(column, np.clip(moved[row] * unit[row], low, high))
        return out

    def _standard(self, size: int, noise: Noise) -> Floats:
        """Noise with mean 0 and standard deviation 1."""
        centred: Floats = noise.uniform(size) + 2.0**-54 - 0.5
        if self.distribution == "gaussian":
            normal: Floats = ndtri(centred + 0.5)
            return normal
        laplace: Floats = -np.sign(centred) * np.log1p(-2 * np.abs(centred)) / np.sqrt(2.0)
        return laplace

    def _scale(self, numbers: Floats, names: tuple[str, ...]) -> Floats:
        """The matrix that gives standard noise the spread of the columns."""
        if not self.together:
            return np.diag([_spread(row) for row in numbers])
        complete = numbers[:, ~np.isnan(numbers).any(axis=0)]
        if complete.shape[1] < 2:
            raise PartError(
                f"{self.id}: fewer than 2 records have a value in each of {', '.join(names)}, so "
                "there is no covariance; name fewer columns, or set together = false"
            )
        variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(complete, bias=True)))
        root: Floats = (axes * np.sqrt(np.maximum(variances, 0))) @ axes.T
        return root

    def detail(self) -> str:
        """The distribution and its width in words."""
        how = "correlated as the columns are" if self.together else "column by column"
        return (
            f"{self.distribution} noise, {how}, with {self.share:g} times the standard deviation "
            "of a column, clipped to its bounds"
        )


@register("integer-noise-v1")
class IntegerNoise(Masking):
    """Adds a random integer to every number, and keeps the sum inside the domain.

    A sum outside the domain becomes the nearest value inside. A missing value stays missing. The
    noise changes single records rather than counts, and numbers rather than categories. So it
    claims no differential privacy.

    >>> import quintain as q
    >>> age = q.Column(name="age", kind="integer", low=0, high=99)
    >>> people = q.Table.of(q.Schema(columns=(age,)), {"age": [21, 34, 35, 36, 90]})
    >>> release = q.sanitize("integer-noise", people, scale=2, seed=1)
    >>> [record["age"] for record in release.data.records()]
    [21, 30, 34, 37, 92]

    Parameters
    ----------
    columns : the columns to change; all columns with integers if not given.
    distribution : "laplace" with P(x) ~ exp(-|x| / scale), "gaussian" with P(x) ~
        exp(-x**2 / (2 scale**2)), or "uniform" from -scale to scale.
    scale : the width of the distribution, in the unit of the column.

    References
    ----------
    Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, NeurIPS (2020).
    """

    method: ClassVar[str] = "noise addition"
    need: ClassVar[str] = "an integer"

    distribution: Literal["laplace", "gaussian", "uniform"] = "laplace"
    scale: Annotated[float, Field(ge=0.01, le=1e6)] = 1.0

    @classmethod
    def examples(cls) -> list[Self]:
        """One example of each distribution."""
        return [cls(), cls(distribution="gaussian"), cls(distribution="uniform", scale=3)]

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if self.distribution == "uniform" and self.scale != int(self.scale):
            raise ValueError(f"the scale of uniform noise must be a whole number, not {self.scale}")
        return self

    def fits(self, column: Column) -> bool:
        """Whether the column has integers, with or without bounds."""
        return column.whole

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Add noise to every value, then clip the sums to the domain."""
        out = {}
        for name in names:
            column, stored = data.schema[name], data.columns[name]
            moved = stored + self._draw(len(data), noise)
            low = None if column.low is None else 0  # a lower bound is stored as 0
            high = None if column.high is None else int(column.high) - column.offset
            moved = np.clip(moved, low, high)
            out[name] = np.where(missing_cells(column, stored), stored, moved)
        return out

    def _draw(self, size: int, noise: Noise) -> Rows:
        if self.distribution == "laplace":
            return noise.laplace(self.scale, size)
        if self.distribution == "gaussian":
            return noise.gaussian(self.scale, size)
        return noise.integers(2 * int(self.scale) + 1, size) - int(self.scale)

    def detail(self) -> str:
        """The distribution and its scale in words."""
        return f"{self.distribution} noise of scale {self.scale:g}, clipped to the domain"


def _spread(numbers: Floats) -> float:
    known = numbers[~np.isnan(numbers)]
    return float(known.std()) if len(known) else 0.0
