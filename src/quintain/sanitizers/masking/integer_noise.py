"""Noise addition: add random integers to the numbers of a table."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.data.codec import missing_cells
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking


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
        return column.kind == "integer"

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
