"""Annealed synthetic data: as useful as a contest requires, and no closer to the private data."""

from __future__ import annotations

import math
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.data.codec import missing_cells
from quintain.data.coding import Coding
from quintain.errors import PartError
from quintain.kernels.decision_trees import FittedTree, require_target
from quintain.kernels.dummies import moments
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.synthesizer import require_bounds
from quintain.sanitizers.synthetic.annealed.counts import arrange, error, redrawn_counts
from quintain.sanitizers.synthetic.annealed.leaves import KeptTree, teach_splits
from quintain.sanitizers.synthetic.annealed.public import PublicGoal, PublicPeople
from quintain.sanitizers.synthetic.annealed.swaps import MomentGoal, SwapCloseness, settle

Share = Annotated[float, Field(gt=0, le=1)]

_MARGIN = 0.92
"""The part of an allowed distance that the search aims at."""
_LOOSE = 0.1
"""The error of one-way counts that is allowed where no bound is given."""


@register("annealed-synthetic-v1")
class AnnealedSynthetic(Sanitizer):
    """Publishes invented records that keep only the statistics a contest requires.

    Every column is drawn on its own, without dependence on the others. Its counts are those of the
    private data up to an allowed error, which is spent on rare values. Then records swap values
    until covariances and correlations are close enough. The values that decision trees predict are
    swapped between the leaves of the private data's trees. Statistics without a bound are ignored.
    If some bounds are still missed, the part starts again, and publishes the best release.

    No published record is made from a private one, so there are no records to link. Attackers can
    still use the statistics themselves: moment-tracing-v1 does. The part claims no privacy: the
    statistics are those of the private data, and not noisy enough for a proof.

    Real numbers, times and large integers are cut into bins of the schema first, and a missing
    value counts as one more value. The bounds then hold for the numbers of the bins.

    Parameters
    ----------
    histogram : the least value of measure/histogram-v1: one minus the mean error of one-way counts.
    histogram_worst : the same bound for the worst column.
    covariance : the least value of measure/covariance-v1: one over the largest row sum of
        differences.
    correlation : the largest value of measure/correlation-v1: the largest difference of a
        correlation.
    trees : decision trees that the release must reproduce, as measure/decision-tree-v1 compares
        them, but over the private records: ``[{ target = "income", positive = "<=50K", depth = 5,
        at_least = 0.95 }]``
    tries : the most releases to make; the first one that keeps every bound is published.
    public : public data that resemble the population, such as ``{ source = { use = "adult" } }``.
        Where the bounds allow it, counts, covariances and shares in leaves are then those of the
        public data, so they say nothing about a member. AMIC made its population from public data.

    A bound that is not set (None) is ignored.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> release = q.sanitize("annealed-synthetic", table, correlation=0.1, seed=1)
    >>> release.methods[0].detail
    'one-way counts, correlations and decision trees kept within bounds'
    >>> [np.bincount(each.columns["flag"]).tolist() for each in (table, release.data)]
    [[135, 65], [136, 64]]

    References
    ----------
    AMIC (PWSCup 2020): the best anonymizers published synthetic records, annealed or learned
    (review of the contest, 2021). Kirkpatrick, Gelatt and Vecchi, Optimization by simulated
    annealing, Science 220 (1983).
    """

    histogram: Share | None = 0.99
    histogram_worst: Share | None = 0.97
    covariance: Annotated[float, Field(gt=0)] | None = 0.4
    correlation: Annotated[float, Field(gt=0)] | None = 0.1
    trees: tuple[KeptTree, ...] = ()
    tries: Annotated[int, Field(ge=1, le=100)] = 6
    public: PublicPeople | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """List one sanitizer without trees and one with a tree."""
        tree = KeptTree(target="flag", positive="yes", depth=3, at_least=0.8)
        loose = {"histogram": 0.9, "histogram_worst": None, "covariance": None}
        return [cls(tries=1), cls.model_validate({**loose, "trees": (tree,), "tries": 2})]

    def require(self, schema: Schema) -> None:
        """Every column needs a finite domain or bounds, and every tree a category to predict."""
        super().require(schema)
        require_bounds(self, schema)
        for kept in self.trees:
            require_target(self.id, schema, kept.target, kept.positive)

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw, swap and check until every bound is kept; publish the best release."""
        private = as_table(data)
        if len(private) < 2:
            raise PartError(f"{self.id} needs at least two records")
        coding = Coding.of(_with_missing_where_it_occurs(private))
        table = coding.encode(private)
        trees = [kept.learn(table) for kept in self.trees]
        public = coding.encode(self.public.table(private.schema)) if self.public else None
        best = self._make(table, trees, noise, public)
        missed = self._missed_bounds(table, trees, best)
        for _ in range(self.tries - 1):
            if not missed:
                break
            made = self._make(table, trees, noise, public)
            still = self._missed_bounds(table, trees, made)
            if (len(still), sum(still.values())) < (len(missed), sum(missed.values())):
                best, missed = made, still
        method = Method(
            name="synthetic data generation",
            rows=len(table),
            detail="one-way counts, correlations and decision trees kept within bounds"
            + (f"; not within: {', '.join(missed)}" if missed else ""),
        )
        made = Table(private.schema, coding.decode(best, rng).columns)
        trace = Trace(self.choice(data, noise=noise))
        return Sanitized(Release(made.take(made.order()), methods=(method,)), trace)

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give every column: there is nothing to choose."""
        return tuple(FocalPoint((name,)) for name in data.schema.names)

    def _make(
        self, table: Table, trees: list[FittedTree], noise: Noise, public: Table | None
    ) -> Table:
        worst, total = self._errors(table)
        counts = redrawn_counts(table, _MARGIN * worst, _MARGIN * total, noise, public)
        made = Table(
            table.schema,
            {
                column.name: arrange(column, counts[column.name], permutation(len(table), noise))
                for column in table.schema.columns
            },
        )
        close = self._closeness(_MARGIN)
        goal = (
            MomentGoal(table, close)
            if public is None
            else PublicGoal(table, moments(public), made, close)
        )
        made = settle(made, goal, (), noise)
        fixed = {kept.target for kept in self.trees}
        for _ in range(2 if trees else 0):  # relabelling changes moments, settling changes leaves
            for kept, tree in zip(self.trees, trees, strict=True):
                made = kept.relabel(made, table if public is None else public, tree, noise)
            made = settle(made, goal, fixed, noise)
        for kept, tree in zip(self.trees, trees, strict=True):
            made = teach_splits(made, kept, tree, noise)
            made = kept.relabel(made, table, tree, noise, gently=True)
        return made

    def _missed_bounds(
        self, table: Table, trees: list[FittedTree], made: Table
    ) -> dict[str, float]:
        """List the bounds that a release misses, and by how much."""
        errors = [
            error(*(np.bincount(t.columns[c.name], minlength=c.size) for t in (table, made)))
            for c in table.schema.columns
        ]
        worst, total = self._errors(table)
        off = {
            "one-way counts": max(max(errors) - worst, sum(errors) - total),
            "covariances": MomentGoal(table, self._closeness(1.0)).excess(moments(made)),
        }
        for kept, tree in zip(self.trees, trees, strict=True):
            # The measure compares trees on other records, so the bound here is a little stricter.
            enough = 1 - 0.75 * (1 - kept.at_least)
            off[f"the tree of {kept.target}"] = enough - kept.agreement(tree, made, table)
        return {name: by for name, by in off.items() if by > 0}

    def _errors(self, table: Table) -> tuple[float, float]:
        """Give the error allowed for one column, and for all columns together."""
        worst = _LOOSE if self.histogram_worst is None else 1 - self.histogram_worst
        mean = _LOOSE if self.histogram is None else 1 - self.histogram
        return worst, mean * len(table.schema.names)

    def _closeness(self, margin: float) -> SwapCloseness:
        return SwapCloseness(
            math.inf if self.correlation is None else margin * self.correlation,
            math.inf if self.covariance is None else margin / self.covariance,
        )


def _with_missing_where_it_occurs(table: Table) -> Schema:
    """Give the schema in which only columns with missing values are nullable.

    A value that never occurs would take part in the covariances. Nothing is claimed, so it does no
    harm that the private data decide.
    """
    columns = (
        column.model_copy(update={"nullable": bool(missing_cells(column, contents).any())})
        for column, contents in ((c, table.columns[c.name]) for c in table.schema.columns)
    )
    return table.schema.model_copy(update={"columns": tuple(columns)})
