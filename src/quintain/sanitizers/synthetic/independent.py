"""Noisy histograms, column by column: the simplest differentially private synthetic data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Schema, Table
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel, Synthesizer


@dataclass(frozen=True, slots=True, eq=False)
class IndependentModel(FittedModel):
    """One noisy distribution per column, with no dependence between columns."""

    kind: ClassVar[str] = "independent"

    schema: Schema
    size: int
    shares: Arrays

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw every column independently of the others."""
        drawn = {name: rng.choice(len(p), rows, p=p) for name, p in self.shares.items()}
        return Table(self.schema, drawn)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List the columns: the model preserves each one-way histogram, and nothing else."""
        return tuple(FocalPoint((name,)) for name in self.shares)

    def arrays(self) -> Arrays:
        """Give the share of every value, by column."""
        return self.shares

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> IndependentModel:
        """Make a model from the shares that :meth:`arrays` gave."""
        return cls(schema, size, arrays)


@register("independent-v1")
class Independent(Synthesizer):
    """Draws every column from its own noisy histogram; dependence between columns is lost.

    With d columns, each histogram gets discrete Laplace noise of scale d / epsilon. One record more
    or less changes one count per histogram by one, so the release is epsilon-private under adding
    or removing a record. Only the schema's domain is used, and the number of records is estimated
    from the noisy counts. A missing value counts as one more value.

    Parameters
    ----------
    epsilon : the total privacy loss.

    One-way counts stay close (1 is best), but correlations change a lot (0 is best):

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> release = q.sanitize("independent", table, epsilon=10, seed=1)
    >>> round(q.measure("histogram", table, release)["histogram"].value, 2)
    0.95
    >>> round(q.measure("correlation", table, release)["correlation"].value, 2)
    0.57
    """

    keeps_missing: ClassVar[bool] = False

    epsilon: Annotated[float, Field(gt=0, lt=1e6)] = 1.0

    def claim(self) -> Claim:
        """Claim pure differential privacy."""
        return Claim(epsilon=self.epsilon)

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> IndependentModel:
        """Count the values of every column, add noise, and turn counts into shares."""
        names = data.schema.names
        shares: Arrays = {}
        sizes = []
        for name in names:
            codes, size = data.columns[name], data.schema[name].size
            counts = np.bincount(codes[codes >= 0], minlength=size)
            noisy = counts + noise.laplace(len(names) / self.epsilon, size)
            sizes.append(int(noisy.sum()))
            weight = np.maximum(noisy, 0)
            total = weight.sum()
            shares[name] = weight / total if total else np.full(size, 1 / size)
        return IndependentModel(data.schema, max(1, round(float(np.mean(sizes)))), shares)

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give every column: there is nothing to choose."""
        return tuple(FocalPoint((name,)) for name in data.schema.names)
