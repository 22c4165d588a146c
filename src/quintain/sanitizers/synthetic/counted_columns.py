"""Counted columns: noisy counts of columns, the levels they lead to, and a model over levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from quintain.accounting.budget import Budget
from quintain.data import Column, Schema, Table
from quintain.data.arrays import Floats, Ints
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.synthesizer import Arrays, FittedModel
from quintain.sanitizers.synthetic.pgm import (
    MOST_CELLS,
    Domain,
    GraphicalModel,
    Levels,
    Measurement,
    estimate_total,
)

NOISE_ERROR = math.sqrt(2 / math.pi)
"""The mean absolute value of Gaussian noise, in standard deviations."""
RARE = 3.0
"""A value is rare if its noisy count is below this many standard deviations of the noise."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedColumns:
    """The columns after rare values were merged into levels.

    Parameters
    ----------
    codes : the level of every record in each column; these are private data, without noise.
    levels : the levels of each column.
    counts : the noisy counts of the levels.
    """

    codes: dict[str, Ints]
    levels: dict[str, Levels]
    counts: list[Measurement]

    @property
    def domain(self) -> Domain:
        """The columns, with the number of their levels."""
        return Domain.of({name: level.count for name, level in self.levels.items()})

    def cross(self, names: Sequence[str]) -> Ints:
        """Count the records with each combination of levels of some columns."""
        shape = tuple(self.levels[name].count for name in names)
        cell = self.codes[names[0]]
        for name, size in zip(names[1:], shape[1:], strict=True):
            cell = cell * size + self.codes[name]
        return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)


@dataclass(frozen=True, slots=True, eq=False)
class CountedValues:
    """The columns with noisy counts of all their values.

    Parameters
    ----------
    codes : the value of every record in each column; these are private data, without noise.
    noisy : the noisy counts of the values.
    sigma : the standard deviation of the noise in each count.
    """

    codes: dict[str, Ints]
    noisy: dict[str, Floats]
    sigma: float

    @property
    def error(self) -> float:
        """How much noise a column has: the expected distance of shares, as a mean over columns.

        It is computed from noisy counts alone.
        """
        cells = [counts.size for counts in self.noisy.values()]
        total = estimate_total(
            Measurement.of((name,), counts, self.sigma**2) for name, counts in self.noisy.items()
        )
        return NOISE_ERROR * self.sigma * float(np.mean(cells)) / (2 * total)

    def count_again(self, sigma: float, budget: Budget, noise: Noise) -> CountedValues:
        """Count all values once more, and take means that are weighted by precision."""
        precision = 1 / self.sigma**2 + 1 / sigma**2
        noisy = {}
        for name, before in self.noisy.items():
            after = budget.count(_count(self.codes[name], before.size), sigma, noise)
            noisy[name] = (before / self.sigma**2 + after / sigma**2) / precision
        return CountedValues(self.codes, noisy, float(precision**-0.5))

    def merge_rare(self) -> CountedColumns:
        """Merge the values that do not stand out from the noise."""
        codes, levels, counts = {}, {}, []
        for name, noisy in self.noisy.items():
            level = Levels.of(noisy, RARE * self.sigma)
            codes[name], levels[name] = level.merge(self.codes[name]), level
            counts.append(level.merge_counts(name, noisy, self.sigma**2))
        return CountedColumns(codes, levels, counts)


def count_values(
    data: Table, columns: Sequence[Column], *, sigma: float, budget: Budget, noise: Noise
) -> CountedValues:
    """Count the values of every column with noise; a missing value is one more value."""
    codes, noisy = {}, {}
    for column in columns:
        values = data.columns[column.name].astype(np.int64)
        values[values < 0] = column.size
        counts = _count(values, column.size + column.nullable)
        codes[column.name], noisy[column.name] = values, budget.count(counts, sigma, noise)
    return CountedValues(codes, noisy, sigma)


def _count(values: Ints, size: int) -> Ints:
    return np.bincount(values, minlength=size)


def varying(sanitizer: Sanitizer, schema: Schema) -> Sequence[Column]:
    """Keep the columns with more than one possible value, or one column to count the records."""
    kept = [c for c in schema.columns if c.size + c.nullable > 1] or schema.columns[:1]
    values = sum(column.size for column in kept)
    if values > MOST_CELLS:
        raise PartError(
            f"{sanitizer.id}: the columns have {values:,} possible values in all; the limit is "
            f"{MOST_CELLS:,}; set groups, or give narrower domains"
        )
    return kept


@dataclass(frozen=True, slots=True, eq=False)
class LevelModel(FittedModel):
    """The base of models with tables over levels; a level is one value, or several rare ones."""

    schema: Schema
    size: int
    graph: GraphicalModel
    levels: dict[str, Levels]

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw records along the tree; a column with a single possible value gets that value."""
        drawn = self.graph.sample(rows, rng)
        columns: dict[str, Ints] = {}
        for column in self.schema.columns:
            codes = np.zeros(rows, np.int64)
            if column.name in drawn:
                codes = self.levels[column.name].expand(drawn[column.name], rng)
            columns[column.name] = np.where(codes == column.size, -1, codes)
        return Table(self.schema, columns)

    def arrays(self) -> Arrays:
        """Give the tables of the tree, and the values of each level."""
        out = self.graph.arrays()
        out["columns"] = np.array([self.schema.names.index(name) for name in self.levels])
        for number, levels in enumerate(self.levels.values()):
            out[f"kept_{number}"], out[f"rare_{number}"] = levels.kept, levels.rare
            out[f"shares_{number}"] = levels.shares
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> Self:
        """Make a model from what :meth:`arrays` gave."""
        levels = {
            schema.names[place]: Levels(*(arrays[f"{k}_{i}"] for k in ("kept", "rare", "shares")))
            for i, place in enumerate(arrays["columns"])
        }
        domain = Domain.of({name: level.count for name, level in levels.items()})
        return cls(schema, size, GraphicalModel.from_arrays(domain, arrays), levels)
