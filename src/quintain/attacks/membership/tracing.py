"""Tracing: members move means and histograms of the release away from the population's."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Schema, Table
from quintain.data.arrays import Floats
from quintain.errors import PartError
from quintain.kernels.dummies import moments, require_few, weighted_sums
from quintain.registry import register

_TOO_LARGE = "numbers are too large to compare: scale the columns"


@register("tracing-v1")
class Tracing(RecordScores):
    r"""Scores a record by how well it explains the shift of means from population to release.

    With x the dummy variables of a record, and means and covariances of release and population,

    $$ (\mu_{release} - \mu_{population})^T (\Sigma + \lambda I)^{-1} (x - \mu_{population}) $$

    on standardised variables. If the release has the means of the private data, this is the most
    powerful linear test of membership. It needs only means, so it works on every release that
    keeps them, including synthetic data. Numbers and times enter as they are. A missing category is
    one more category; a missing number counts as the mean, and one more variable marks it.

    Parameters
    ----------
    ridge : the lambda; with more of it, combinations of variables count less.

    References
    ----------
    Homer et al., PLoS Genetics 4 (2008). Dwork, Smith, Steinke, Ullman and Vadhan, Robust
    traceability from trace amounts, FOCS 2015.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("tracing", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.64; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    ridge: Annotated[float, Field(gt=0)] = 0.1

    def require(self, schema: Schema) -> None:
        """The covariance matrix of all dummy variables must fit the memory."""
        super().require(schema)
        require_few(self.id, schema)

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the means, and weigh their differences by precision."""
        if min(len(release), len(base)) < 2:
            return np.zeros(len(records))
        with np.errstate(over="ignore", invalid="ignore"):
            usual, shown = moments(base), moments(release)
        if not (np.isfinite(usual.covariance).all() and np.isfinite(shown.mean).all()):
            raise PartError(f"{self.id}: {_TOO_LARGE}")
        variance = np.diag(usual.covariance)
        # The machine cannot tell very small numbers apart by their variance, which becomes 0.
        varies = np.flatnonzero(~usual.constant & (variance >= np.finfo(float).tiny))
        spread = np.sqrt(variance[varies])
        correlation = usual.covariance[np.ix_(varies, varies)] / np.outer(spread, spread)
        weights = np.zeros(len(usual.mean))
        with np.errstate(over="ignore", invalid="ignore"):
            shift = (shown.mean - usual.mean)[varies] / spread
            weight = np.linalg.solve(correlation + self.ridge * np.eye(len(varies)), shift)
            weights[varies] = weight / spread
            scores = weighted_sums(records, weights)
        if not np.isfinite(scores).all():
            raise PartError(f"{self.id}: {_TOO_LARGE}")
        return scores
