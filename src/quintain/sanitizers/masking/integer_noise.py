"""Noise addition: add random integers to numbers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from quintain.data import Column, Table
from quintain.data.arrays import Array, Rows
from quintain.noise import Noise
from quintain.registry import register
from quintain.sanitizers.masking.mask import Masking


@register("integer-noise-v1")
class IntegerNoise(Masking):
    """Adds an integer drawn at random to every number, and stays inside the domain.

    A sum outside the domain becomes the nearest value inside; a missing value stays missing. It
    is added to records and not to counts, to numbers and not to categories: nothing is claimed.

    Parameters
    ----------
    columns : the columns it is applied to; all with integers if not given.
    distribution : "laplace" with P(x) ~ exp(-|x| / scale), "gaussian" with P(x) ~
        exp(-x**2 / (2 scale**2)), or "uniform" from -scale to scale.
    scale : how wide it is.

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
        """Every distribution."""
        return [cls(), cls(distribution="gaussian"), cls(distribution="uniform", scale=3)]

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if self.distribution == "uniform" and self.scale != int(self.scale):
            raise ValueError(f"the scale of uniform noise is a whole number, not {self.scale}")
        return self

    def fits(self, column: Column) -> bool:
        """Integers, bounded or not."""
        return column.kind == "integer"

    def mask(
        self, data: Table, names: tuple[str, ...], *, rng: np.random.Generator, noise: Noise
    ) -> dict[str, Array]:
        """Add and clip."""
        out = {}
        for name in names:
            column, held = data.schema[name], data.columns[name]
            moved = held + self._drawn(len(data), noise)
            if column.discrete:  # held from 0, and -1 is missing
                out[name] = np.where(held < 0, held, np.clip(moved, 0, column.size - 1))
            else:
                out[name] = np.clip(moved, column.low, column.high).astype(np.int64)
        return out

    def _drawn(self, size: int, noise: Noise) -> Rows:
        if self.distribution == "laplace":
            return noise.laplace(self.scale, size)
        if self.distribution == "gaussian":
            return noise.gaussian(self.scale, size)
        return noise.integers(2 * int(self.scale) + 1, size) - int(self.scale)

    def detail(self) -> str:
        """The distribution."""
        return f"{self.distribution} noise of scale {self.scale:g}, clipped to the domain"
