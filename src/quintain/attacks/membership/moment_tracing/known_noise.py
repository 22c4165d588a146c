"""Moment tracing: members move counts and products of the release away from the population's."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.moment_tracing.statistics import Statistics
from quintain.attacks.membership.moment_tracing.transmission import Transmission
from quintain.attacks.membership.moment_tracing.variables import KINDS, Variables
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.registry import register


@register("moment-tracing-v1")
class MomentTracing(RecordScores):
    r"""Scores a record by how well it explains counts and products that differ from the population.

    The statistics are the counts of every common category and number, the means of numbers and of
    their products, and the means of numbers times categories. With d their differences between
    release and population, x the same variables of a record, C their covariance, n the size of the
    release and V the variance that the sanitizer is thought to add, the score is

    $$ d^T (C / n + V)^{-1} (x - \mu_{population}). $$

    tracing-v1 uses the means of categories and numbers only, and does not weigh them by noise.

    What it assumes: the attacker knows the population, and runs no sanitizer; learned-tracing-v1
    does. The release keeps the statistics of the private data up to independent noise, whose size
    the parameters tell. The defaults are those of annealed-synthetic-v1 with the bounds of AMIC, as
    anybody can measure who runs it.

    Parameters
    ----------
    count_noise : the standard deviation of the noise in the count of a category, in records.
    code_noise : of the noise in the count of a number, in standard errors of a sample.
    product_noise : of the noise in means of numbers and of their products, in standard errors.
    slope_noise : of the noise in means of numbers times categories, in standard errors.
    least : a value has a variable if a release of this size contains it this often, on average.
    most : the most variables to use.

    References
    ----------
    Homer et al., PLoS Genetics 4 (2008). Dwork, Smith, Steinke, Ullman and Vadhan, Robust
    traceability from trace amounts, FOCS 2015.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> known = {"targets": everybody, "population": everybody}
    >>> guess = q.attack("moment-tracing", release, **known, least=3, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.69; chance is 0.50'
    """

    ridge: ClassVar[float] = 0.02

    count_noise: Annotated[float, Field(ge=0)] = 14.0
    code_noise: Annotated[float, Field(ge=0)] = 1.0
    product_noise: Annotated[float, Field(ge=0)] = 0.15
    slope_noise: Annotated[float, Field(ge=0)] = 0.7
    least: Annotated[float, Field(gt=0)] = 20.0
    most: Annotated[int, Field(ge=1, le=5000)] = 1000

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the statistics of release and population, and weigh their differences."""
        if min(len(release), len(base)) < 2:
            return np.zeros(len(records))
        variables = Variables.of(base, self.least / len(release), self.most)
        statistics = Statistics.of(base, variables, len(release), rng=rng)
        assumed = self._assumed(statistics, len(release))
        return assumed.scores(statistics, release, records, ridge=self.ridge)

    def _assumed(self, statistics: Statistics, size: int) -> Transmission:
        noise = np.array([0.0, self.code_noise, self.product_noise, self.slope_noise])
        kinds = statistics.variables.kinds
        counts = self.count_noise / (size * statistics.error)
        deviation = np.where(kinds == KINDS.index("category"), counts, noise[kinds])
        return Transmission(np.zeros(len(kinds)), np.ones(len(kinds)), deviation**2)
