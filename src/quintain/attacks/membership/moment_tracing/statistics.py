"""Statistics: the means of variables over a table, beside those of the population."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.attacks.membership.moment_tracing.variables import Variables
from quintain.data import Table
from quintain.data.arrays import Floats

_SAMPLE = 40_000
"""How many records of the population are enough for covariances."""


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The statistics of a population, and how far a sample of ``size`` records may be from them.

    Parameters
    ----------
    variables : how a record becomes numbers; a statistic is the mean of one variable.
    mean, spread : mean and standard deviation of each variable over the population.
    correlation : the correlations of the variables.
    error : the standard deviation of each statistic over samples.
    """

    variables: Variables
    mean: Floats
    spread: Floats
    correlation: Floats
    error: Floats

    @classmethod
    def of(
        cls, base: Table, variables: Variables, size: int, *, rng: np.random.Generator
    ) -> Statistics:
        """Compute means from all records of a population, covariances from some of them."""
        mean = variables.means(base)
        some = base.take(rng.permutation(len(base))[:_SAMPLE])
        products = np.zeros((len(mean), len(mean)))
        for block in variables.describe(some):
            centred = block - mean
            products += centred.T @ centred
        covariance = products / len(some)
        spread = np.sqrt(np.diag(covariance))
        spread[spread < 1e-9] = np.inf  # constant: whatever is divided by it becomes 0
        kept = max(1 - size / len(base), 0.01)  # a sample of everybody has no error
        return cls(
            variables,
            mean,
            spread,
            covariance / np.outer(spread, spread),
            spread * np.sqrt(kept / size),
        )

    def deviation(self, table: Table) -> Floats:
        """Say how far a table is from the population, in standard errors of a sample."""
        return np.asarray((self.variables.means(table) - self.mean) / self.error)

    def scores(self, records: Table, weights: Floats) -> Floats:
        """Sum the standardised variables of each record with weights."""
        each = weights / self.spread
        parts = [(block - self.mean) @ each for block in self.variables.describe(records)]
        return np.concatenate(parts) if parts else np.zeros(0)
