"""Neighbour ratios: are released records more frequent around a record than other people?"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.neighbours.surroundings import surroundings
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.registry import register


@register("knn-ratio-v1")
class KnnRatio(RecordScores):
    r"""Scores a record by how many of its nearest neighbours are released records.

    $$ log ((r + 1/2) / m) - log ((a + 1/2) / n) $$

    where r of the k nearest neighbours are among the m released records and a among the n people of
    the base data; records as far away as the k-th neighbour count, too. Distances are sums over
    columns of mixed kinds, each between 0 and 1 (Gower). A record of the base data is not its own
    neighbour.

    Parameters
    ----------
    k : how many neighbours.

    References
    ----------
    Ward, Wang and Cheng, Data Plagiarism Index: Characterizing the Privacy Risk of Data-Copying in
    Tabular Generative Models, 2024.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("knn-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.75; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    k: Annotated[int, Field(ge=1, le=1000)] = 3

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Count both kinds of neighbours within the distance of the k-th one."""
        if not len(release) or not len(base):
            return np.zeros(len(records))
        near = surroundings(release, base, records, self.k)
        both = np.sort(np.hstack([near.released, near.others]), axis=1)
        reach = both[:, min(self.k, both.shape[1]) - 1][:, None]
        shares = [
            ((away <= reach).sum(axis=1) + 0.5) / size
            for away, size in ((near.released, len(release)), (near.others, len(base)))
        ]
        return np.asarray(np.log(shares[0]) - np.log(shares[1]))


@register("local-density-ratio-v1")
class LocalDensityRatio(RecordScores):
    r"""Scores a record by the density of the release around it, divided by that of other people.

    $$ log (1/m \sum_{s} e^{-d(x, s) / h}) - log (1/n \sum_{a \neq x} e^{-d(x, a) / h}) $$

    The sums go over the k nearest records, because farther ones add next to nothing. Distances are
    sums over columns of mixed kinds, each between 0 and 1 (Gower). A record of the base data does
    not count for its own density. So in a population that contains the targets this attack is
    sharper than density-ratio.

    Parameters
    ----------
    k : how many of the nearest records count.
    bandwidth : the h, in columns.

    References
    ----------
    Van Breugel, Sun, Qian and van der Schaar, Membership Inference Attacks against Synthetic Data
    through Overfitting Detection (DOMIAS), AISTATS 2023.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> known = {"targets": everybody, "population": everybody}
    >>> guess = q.attack("local-density-ratio", release, **known, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.78; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    k: Annotated[int, Field(ge=1, le=1000)] = 5
    bandwidth: Annotated[float, Field(gt=0)] = 0.25

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Sum the kernels of the nearest records on both sides."""
        if not len(release) or not len(base):
            return np.zeros(len(records))
        near = surroundings(release, base, records, self.k)
        here = self._log_sum(near.released) - np.log(len(release))
        there = self._log_sum(near.others) - np.log(len(base))
        return np.asarray(here - there)

    def _log_sum(self, away: Floats) -> Floats:
        """The logarithm of the sum of kernels; the nearest record comes first, so none underflows.

        Without any record it is as if there were one that differs in everything.
        """
        if not away.shape[1]:
            return np.full(len(away), -1 / self.bandwidth)
        top = -away[:, :1] / self.bandwidth
        rest = np.exp(-away / self.bandwidth - top).sum(axis=1)
        return np.asarray(top[:, 0] + np.log(rest))
