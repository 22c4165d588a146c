"""Moment tracing: members move counts and products of the release away from the population's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.attacks.membership.traced_moments import (
    KINDS,
    Kinds,
    Statistics,
    Transmission,
    Variables,
    require_few_numbers,
)
from quintain.attacks.shadows import random_samples, shadow_runs, without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Schema, Table, as_table
from quintain.data.arrays import Floats
from quintain.guesses import Guess
from quintain.kernels.value_classes import QuantileBins
from quintain.registry import register
from quintain.releases import Release


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

    def require(self, schema: Schema) -> None:
        """The covariances of all products of two numbers must fit the memory."""
        super().require(schema)
        require_few_numbers(self.id, schema)

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the statistics of release and population, and weigh their differences."""
        if min(len(release), len(base)) < 2:
            return np.zeros(len(records))
        variables = Variables.of(base, self.least / len(release), self.most)
        statistics = Statistics.of(base, variables, len(release), rng=rng)
        assumed = self._assume_noise(statistics, variables.kinds, len(release))
        return assumed.scores(statistics, release, records, ridge=self.ridge)

    def _assume_noise(self, statistics: Statistics, kinds: Kinds, size: int) -> Transmission:
        noise = np.array([0.0, self.code_noise, self.product_noise, self.slope_noise])
        counts = self.count_noise / (size * statistics.error)
        deviation = np.where(kinds == KINDS.index("category"), counts, noise[kinds])
        return Transmission(np.zeros(len(kinds)), np.ones(len(kinds)), deviation**2)


@register("learned-tracing-v1")
class LearnedTracing(RecordScores):
    r"""Traces counts and products as moment-tracing-v1 does, with weights learned in shadow runs.

    The attack runs the sanitizer on samples of the population. For every statistic, a regression
    over these runs says which part g of a deviation of the private data reaches the release, which
    offset the sanitizer adds, and the variance V of the rest. With d the deviations of the attacked
    release less the offset, x the variables of a record, and C their covariance, the score is

    $$ d^T (g C g / n + V)^{-1} g (x - \mu_{population}). $$

    So a statistic that the sanitizer covers with noise counts for nothing, and one that it shifts
    by a constant is as good as an exact one.

    What it assumes: the attacker knows the population, and can run the sanitizer with the
    parameters that made the release: because the contest gives its code, or because a card names a
    sanitizer that is public. The private data have as many records as the release.

    Parameters
    ----------
    shadows : how many shadow runs.
    least : a value has a variable if a release of this size contains it this often, on average.
    most : the most variables to use.

    References
    ----------
    Homer et al., PLoS Genetics 4 (2008). Shokri, Stronati, Song and Shmatikov, Membership inference
    attacks against machine learning models, S&P 2017.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> sanitizer = q.part("sanitizer/rr", keep=0.8)
    >>> release = q.sanitize(sanitizer, everybody.take(range(30)), seed=1)
    >>> known = {"targets": everybody, "population": everybody, "sanitizer": sanitizer}
    >>> guess = q.attack("learned-tracing", release, **known, least=3, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.64; chance is 0.50'
    """

    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})
    ridge: ClassVar[float] = 0.02

    shadows: Annotated[int, Field(ge=2, le=1000)] = 12
    least: Annotated[float, Field(gt=0)] = 20.0
    most: Annotated[int, Field(ge=1, le=5000)] = 1000

    def require(self, schema: Schema) -> None:
        """The covariances of all products of two numbers must fit the memory."""
        super().require(schema)
        require_few_numbers(self.id, schema)

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Run the sanitizer, learn what it keeps, and score the records."""
        released = as_table(release.data)
        base = without_ids(knowledge.population()).select(released.schema.names)
        bins = QuantileBins.of(released, self.bins)
        samples = random_samples(base, count=self.shadows, rows=len(released), rng=rng)
        runs = [run.encode(bins.encode) for run in shadow_runs(knowledge, samples, rng=rng)]
        pairs = [(as_table(run.sample), as_table(run.release.data)) for run in runs]
        return self.rank(knowledge, release, partial(self.scores, pairs=pairs), rng=rng)

    def scores(
        self,
        release: Table,
        base: Table,
        records: Table,
        *,
        rng: np.random.Generator,
        pairs: Sequence[tuple[Table, Table]] = (),
    ) -> Floats:
        """Score records with what ``pairs`` teach: samples, and what the sanitizer made of them."""
        pairs = [pair for pair in pairs if min(map(len, pair)) > 0]
        if min(len(release), len(base)) < 2 or len(pairs) < 2:
            return np.zeros(len(records))
        variables = Variables.of(base, self.least / len(release), self.most)
        statistics = Statistics.of(base, variables, len(release), rng=rng)
        private, shadow = (
            np.array([statistics.deviation(table) for table in tables])
            for tables in zip(*pairs, strict=True)
        )
        learned = Transmission.learn(statistics, variables.kinds, private, shadow)
        return learned.scores(statistics, release, records, ridge=self.ridge)
