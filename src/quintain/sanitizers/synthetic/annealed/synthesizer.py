"""Annealed synthetic data: as useful as a contest asks for, and no closer to the people."""

from __future__ import annotations

import math
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.errors import PartError
from quintain.kernels.decision_trees import DecisionTree, require_target
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.shuffling import permutation
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.synthesizer import require_discrete
from quintain.sanitizers.synthetic.annealed.counts import drawn, error, redrawn_counts
from quintain.sanitizers.synthetic.annealed.leaves import KeptTree
from quintain.sanitizers.synthetic.annealed.splits import taught
from quintain.sanitizers.synthetic.annealed.swaps import Closeness, Settling, settled

Share = Annotated[float, Field(gt=0, le=1)]

_MARGIN = 0.92  # of an allowed distance is aimed at
_LOOSE = 0.1  # error of one-way counts where nothing is asked for


@register("annealed-synthetic-v1")
class AnnealedSynthetic(Sanitizer):
    """Publishes records of nobody that have just the statistics a contest asks for.

    Values are drawn column by column, without any dependence, as often as they occur but for an
    allowed error, which is spent on rare values. Then records swap values until covariances and
    correlations are close enough, and those that decision trees predict are swapped between the
    leaves of the private data's trees. What was not asked for is not looked at. If bounds are still
    missed, all is drawn again; the best release is published.

    No published record was ever made from a private one, so there is nobody to link. What is left
    to attack are the statistics themselves. Nothing is claimed: they are the private data's, not
    noisy enough for a proof.

    Parameters
    ----------
    histogram : one minus the mean error of one-way counts, as measure/histogram-v1 reads it.
    histogram_worst : the same for the worst column.
    covariance : one over the largest row sum of differences, as measure/covariance-v1 reads it.
    correlation : the largest difference of a correlation, as measure/correlation-v1 reads it.
    trees : decision trees that shall come out alike, as measure/decision-tree-v1 compares them;
        here over the private records, for want of others. ``[{ target = "income", positive =
        "<=50K", depth = 5, at_least = 0.95 }]``
    tries : how often it is drawn, at most.

    A bound that is left out (None) is not looked at.

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

    @classmethod
    def examples(cls) -> list[Self]:
        """Without and with a tree."""
        tree = KeptTree(target="flag", positive="yes", depth=3, at_least=0.8)
        loose = {"histogram": 0.9, "histogram_worst": None, "covariance": None}
        return [cls(tries=1), cls.model_validate({**loose, "trees": (tree,), "tries": 2})]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw, settle and check, until every bound is kept."""
        table = as_table(data)
        self._require(table)
        trees = [kept.learn(table) for kept in self.trees]
        best = self._made(table, trees, noise)
        missed = self._missed(table, trees, best)
        for _ in range(self.tries - 1):
            if not missed:
                break
            made = self._made(table, trees, noise)
            now = self._missed(table, trees, made)
            if (len(now), sum(now.values())) < (len(missed), sum(missed.values())):
                best, missed = made, now
        method = Method(
            name="synthetic data generation",
            rows=len(table),
            detail="one-way counts, correlations and decision trees kept within bounds"
            + (f"; not within: {', '.join(missed)}" if missed else ""),
        )
        points = tuple(FocalPoint((name,)) for name in table.schema.names)
        return Sanitized(Release(best.take(best.order()), methods=(method,)), Trace(points))

    def _require(self, table: Table) -> None:
        require_discrete(self, table.schema)
        if len(table) < 2:
            raise PartError(f"{self.id} needs at least two records")
        for name in table.schema.names:
            if table.columns[name].min() < 0:
                raise PartError(f"{self.id}: column {name!r} has missing values; leave it out")
        for kept in self.trees:
            require_target(self.id, table.schema, kept.target, kept.positive)

    def _made(self, table: Table, trees: list[DecisionTree], noise: Noise) -> Table:
        worst, total = self._errors(table)
        counts = redrawn_counts(table, _MARGIN * worst, _MARGIN * total, noise)
        made = Table(
            table.schema,
            {
                column.name: drawn(column, counts[column.name], permutation(len(table), noise))
                for column in table.schema.columns
            },
        )
        goal = Settling(table, self._closeness(_MARGIN))
        made = settled(made, goal, (), noise)
        fixed = {kept.target for kept in self.trees}
        for _ in range(2 if trees else 0):  # relabelling moves moments, settling moves leaves
            for kept, tree in zip(self.trees, trees, strict=True):
                made = kept.relabelled(made, table, tree, noise)
            made = settled(made, goal, fixed, noise)
        for kept, tree in zip(self.trees, trees, strict=True):
            made = taught(made, kept, tree, noise)
            made = kept.relabelled(made, table, tree, noise, gently=True)
        return made

    def _missed(self, table: Table, trees: list[DecisionTree], made: Table) -> dict[str, float]:
        """The bounds a release does not keep, and by how much."""
        errors = [
            error(*(np.bincount(t.columns[c.name], minlength=c.size) for t in (table, made)))
            for c in table.schema.columns
        ]
        worst, total = self._errors(table)
        off = {
            "one-way counts": max(max(errors) - worst, sum(errors) - total),
            "covariances": Settling(table, self._closeness(1.0)).excess(made),
        }
        for kept, tree in zip(self.trees, trees, strict=True):
            # Other records will be asked about, so some more than enough is wanted.
            enough = 1 - 0.75 * (1 - kept.at_least)
            off[f"the tree of {kept.target}"] = enough - kept.agreement(tree, made, table)
        return {name: by for name, by in off.items() if by > 0}

    def _errors(self, table: Table) -> tuple[float, float]:
        """The error allowed for one column, and for all together."""
        worst = _LOOSE if self.histogram_worst is None else 1 - self.histogram_worst
        mean = _LOOSE if self.histogram is None else 1 - self.histogram
        return worst, mean * len(table.schema.names)

    def _closeness(self, margin: float) -> Closeness:
        return Closeness(
            math.inf if self.correlation is None else margin * self.correlation,
            math.inf if self.covariance is None else margin / self.covariance,
        )
