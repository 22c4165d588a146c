"""Histograms: a sanitizer that draws each column from its noisy counts, honest or with one bug."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.data import Column, Schema, Table, as_table
from quintain.randomness.noise import Noise
from quintain.releases import Claim, Method, Release, Sanitized
from quintain.sanitizers import Sanitizer

ROWS, COLUMNS = 400, 5
VALUES = tuple("abcdef")


def people(rows: int = ROWS, seed: int = 0) -> Table:
    """People with five columns of common values; the last value of each column is nobody's."""
    rng = np.random.default_rng(seed)
    columns = tuple(Column(name=f"c{i}", kind="category", values=VALUES) for i in range(COLUMNS))
    shares = [0.5, 0.3, 0.1, 0.07, 0.03, 0.0]
    schema = Schema(columns=columns)
    return Table(schema, {name: rng.choice(6, rows, p=shares) for name in schema.names})


def people_of_common_values(rows: int = ROWS, seed: int = 0) -> Table:
    """The same, but the first column has two values, and both are common."""
    table = people(rows, seed)
    two = Column(name="c0", kind="category", values=("a", "b"))
    cells = np.random.default_rng(seed + 1).integers(2, size=rows)
    schema = Schema(columns=(two, *table.schema.columns[1:]))
    return Table(schema, {**table.columns, "c0": cells})


class Histograms(Sanitizer):
    """Counts the values of each column with Laplace noise, and draws the columns from the counts.

    Parameters
    ----------
    epsilon : what it claims; each column gets its share.
    """

    id: ClassVar[str] = "sanitizer/honest-histograms-v1"

    epsilon: float = 1.0

    def scale(self, schema: Schema) -> float:
        """The scale of the noise: a person changes one count of each column by one."""
        return len(schema.names) / self.epsilon

    def counts(self, table: Table, name: str, noise: Noise) -> np.ndarray:
        """The noisy counts of a column."""
        size = table.schema[name].size
        exact = np.bincount(table.columns[name], minlength=size)
        return exact + noise.laplace(self.scale(table.schema), size)

    def claim_for(self, schema: Schema) -> Claim:
        """One record more or less, for a stated domain."""
        return Claim(epsilon=self.epsilon)

    def sanitize(self, data, *, rng, noise):
        table, cells = as_table(data), {}
        for name in table.schema.names:
            shares = np.maximum(self.counts(table, name, noise), 0.0)
            shares = shares if shares.sum() else np.ones(len(shares))
            cells[name] = rng.choice(len(shares), ROWS, p=shares / shares.sum())
        made = Table(self.released_schema(table), cells)
        method = Method(name="synthetic data generation")
        return Sanitized(Release(made, self.claim_for(table.schema), (method,)))

    def released_schema(self, table: Table) -> Schema:
        return table.schema


class GaussianHistograms(Histograms):
    """The same with Gaussian noise, for a delta."""

    id: ClassVar[str] = "sanitizer/gaussian-histograms-v1"

    def counts(self, table, name, noise):
        size = table.schema[name].size
        sigma = np.sqrt(2 * np.log(1.25 / 1e-5) * len(table.schema.names)) / self.epsilon
        exact = np.bincount(table.columns[name], minlength=size)
        return exact + noise.gaussian(float(sigma), size)

    def claim_for(self, schema: Schema) -> Claim:
        return Claim(epsilon=self.epsilon, delta=1e-5)


class HalfTheNoise(Histograms):
    """Its noise has half the scale, so its epsilon is 2."""

    id: ClassVar[str] = "sanitizer/half-the-noise-v1"

    def scale(self, schema):
        return super().scale(schema) / 2


class BudgetNotSplit(Histograms):
    """Each column gets the whole budget, so its epsilon is 5."""

    id: ClassVar[str] = "sanitizer/budget-not-split-v1"

    def scale(self, schema):
        return 1 / self.epsilon


class ColumnWithoutNoise(Histograms):
    """The first column has no noise, so its epsilon is infinite."""

    id: ClassVar[str] = "sanitizer/column-without-noise-v1"

    def counts(self, table, name, noise):
        if name == table.schema.names[0]:
            return np.bincount(table.columns[name], minlength=table.schema[name].size).astype(float)
        return super().counts(table, name, noise)


class DomainLearned(Histograms):
    """It draws from the values that occur, and shows which these are: its epsilon is infinite."""

    id: ClassVar[str] = "sanitizer/domain-learned-v1"

    def counts(self, table, name, noise):
        noisy = np.maximum(super().counts(table, name, noise), 0.5)
        exact = np.bincount(table.columns[name], minlength=table.schema[name].size)
        return np.where(exact > 0, noisy, 0.0)


class SeedFixed(Histograms):
    """Its noise comes from a seed in its code, so its epsilon is infinite."""

    id: ClassVar[str] = "sanitizer/seed-fixed-v1"

    def sanitize(self, data, *, rng, noise):
        fixed = np.random.default_rng(7)
        return super().sanitize(data, rng=fixed, noise=Noise.for_test(7))


BUGS = {
    "half the noise (2)": (HalfTheNoise(), people),
    "one column without noise, rare value unseen": (ColumnWithoutNoise(), people),
    "one column without noise, both values common": (
        ColumnWithoutNoise(),
        people_of_common_values,
    ),
    "domain learned": (DomainLearned(), people),
    "budget not split (5)": (BudgetNotSplit(), people),
    "seed fixed": (SeedFixed(), people),
}
"""Six planted bugs with their tables; the true epsilon in brackets, infinite where none is."""
