"""Value tracing: members move the histograms of the release away from the population's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.record_scores import RecordScores
from quintain.attacks.membership.traced_moments import Statistics, Transmission, records_with
from quintain.data import Table
from quintain.data.arrays import Floats, Rows
from quintain.registry import register


@register("value-tracing-v1")
class ValueTracing(RecordScores):
    r"""Scores a record by one likelihood ratio over the histograms of all columns.

    Each value of each column is a variable, numbers too. With d the differences between the shares
    of the release and of the population, x the variables of a record, C their covariance, n the
    size of the release and V the variance of noise, the score is

    $$ d^T (C / n + V)^{-1} (x - \mu_{population}). $$

    So values that go together, such as being young and being single, do not count twice. This is
    the test for sanitizers that keep single columns and little else. For instance, pategan-v1
    spends half of its epsilon on histograms, and its columns follow them closely. tracing-v1 knows
    only the mean of a number, and gives every value the same noise.

    What it assumes: the attacker knows the population, and neither the sanitizer nor any run of
    it. The release keeps the histograms of the private data up to independent noise.

    Numbers and times without a finite domain are cut into 50 bins that are equally common in the
    release; a missing value is a value of its own.

    Parameters
    ----------
    noise : the standard deviation of the noise in a share, in standard errors of a sample.
    most : the most values to use; if there are more, the rarest ones are dropped, all that are
        equally rare.

    References
    ----------
    Homer et al., PLoS Genetics 4 (2008). Dwork, Smith, Steinke, Ullman and Vadhan, Robust
    traceability from trace amounts, FOCS 2015.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> known = {"targets": everybody, "population": everybody}
    >>> guess = q.attack("value-tracing", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.73; chance is 0.50'
    """

    noise: Annotated[float, Field(gt=0)] = 1.0
    most: Annotated[int, Field(ge=1, le=5000)] = 1000

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Compare the histograms, and weigh their differences."""
        if min(len(release), len(base)) < 2:
            return np.zeros(len(records))
        values = CommonValues.of(base, self.most)
        statistics = Statistics.of(base, values, len(release), rng=rng)
        one = np.ones(len(statistics.mean))
        assumed = Transmission(0 * one, one, self.noise**2 * one)
        return assumed.scores(statistics, release, records, ridge=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class CommonValues:
    """One variable for each value that occurs, or for the commonest ones: 1 for who has it.

    A record has one value per column, so nobody writes down its many zeros: means are counts,
    products are counts of pairs, and weighted sums look up one weight per column.

    Parameters
    ----------
    codes : for each column, the codes that have a variable, in order.
    """

    codes: Mapping[str, Rows]

    @classmethod
    def of(cls, base: Table, most: int) -> CommonValues:
        """The values of a population, at most so many; of equally rare ones all or none."""
        names = [column.name for column in base.schema.attributes]
        counted = [np.unique(base.columns[name], return_counts=True) for name in names]
        counts = np.concatenate([count for _, count in counted])
        least = np.sort(counts)[-most - 1] + 1 if len(counts) > most else 0
        return cls(
            {
                name: present[count >= least].astype(np.int64)
                for name, (present, count) in zip(names, counted, strict=True)
            }
        )

    def means(self, table: Table) -> Floats:
        """The share of the records that have each value."""
        counts = np.zeros(self._size(), np.int64)
        for _, places in records_with(table, self.codes):
            counts += np.bincount(places, minlength=len(counts))
        return np.asarray(counts / len(table))

    def covariance(self, table: Table, mean: Floats) -> Floats:
        """The mean product of two variables over a table, less what their means explain."""
        from scipy.sparse import coo_array

        size = self._size()
        both = np.zeros((size, size))
        pairs = list(records_with(table, self.codes))
        if pairs:
            rows, places = (np.concatenate(part) for part in zip(*pairs, strict=True))
            one = np.ones(len(rows))
            has = coo_array((one, (rows, places)), shape=(len(table), size)).tocsr()
            both = (has.T @ has).toarray() / len(table)
        shares = np.diag(both)
        return np.asarray(both - np.outer(shares, mean) - np.outer(mean, shares - mean))

    def weighted_gaps(self, table: Table, mean: Floats, weights: Floats) -> Floats:
        """How far each record's values are from their shares ``mean``, summed with weights."""
        out = np.full(len(table), -mean @ weights)
        for rows, places in records_with(table, self.codes):
            out[rows] += weights[places]
        return out

    def _size(self) -> int:
        return sum(len(part) for part in self.codes.values())
