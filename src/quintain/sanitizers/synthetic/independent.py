"""Noisy histograms, column by column: the simplest differentially private synthetic data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Schema, Table
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel, Synthesizer


@dataclass(frozen=True, slots=True, eq=False)
class IndependentModel(FittedModel):
    """A distribution for each column."""

    kind: ClassVar[str] = "independent"

    schema: Schema
    size: int
    shares: Arrays

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw every column by itself."""
        drawn = {name: rng.choice(len(p), rows, p=p) for name, p in self.shares.items()}
        return Table(self.schema, drawn)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """Every column by itself."""
        return tuple(FocalPoint((name,)) for name in self.shares)

    def arrays(self) -> Arrays:
        """The distributions."""
        return self.shares

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> IndependentModel:
        """A model from its distributions."""
        return cls(schema, size, arrays)


@register("independent-v1")
class Independent(Synthesizer):
    """Draws every column from its own noisy histogram; dependence between columns is lost.

    With d columns each histogram gets discrete Laplace noise of scale d / epsilon. One record
    more or less changes one count in each histogram by one, so the release is epsilon-private
    under adding or removing a record. Only the schema's domain is used, and the size of the data
    is read from the noisy counts.

    Parameters
    ----------
    epsilon : the privacy loss in all.
    """

    epsilon: Annotated[float, Field(gt=0, lt=1e6)] = 1.0

    def claim(self) -> Claim:
        """Pure differential privacy."""
        return Claim(epsilon=self.epsilon)

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> IndependentModel:
        """Count and add noise."""
        names = data.schema.names
        shares: Arrays = {}
        sizes = []
        for name in names:
            held, size = data.columns[name], data.schema[name].size
            counts = np.bincount(held[held >= 0], minlength=size)
            noisy = counts + noise.laplace(len(names) / self.epsilon, size)
            sizes.append(int(noisy.sum()))
            weight = np.maximum(noisy, 0)
            total = weight.sum()
            shares[name] = weight / total if total else np.full(size, 1 / size)
        return IndependentModel(data.schema, max(1, round(float(np.mean(sizes)))), shares)
