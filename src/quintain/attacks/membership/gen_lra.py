"""Gen-LRA: would the release be likelier if a record had been in the population sample?"""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.membership.neighbour_ratios import (
    search,
    sorted_by_content,
    surroundings,
)
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.kernels.distances import gower
from quintain.registry import register


@register("gen-lra-v1")
class GenLra(RecordScores):
    r"""Scores a record by how much it raises the likelihood of the released records near it.

    $$ \sum_{s} log (1 + K(s, x) / (c + \sum_{a \neq x} K(s, a))), K(s, a) = e^{-d(s, a) / h} $$

    The sum goes over the k released records s that are nearest to x. The density of the population
    at s is a kernel estimate over the people a near s, with and without x. With a fixed bandwidth
    one person changes it in closed form, so no density is estimated again for every target.
    Distances are sums over columns of mixed kinds, each between 0 and 1 (Gower).

    Parameters
    ----------
    k : how many of the nearest released records count.
    reach : how many of the nearest people count for the density at a released record.
    bandwidth : the h, in columns.
    smoothing : the c; with more of it, lonely released records count less.

    References
    ----------
    Ward, Wang and Cheng, Privacy Auditing Synthetic Data Release through Local Likelihood Attacks
    (Gen-LRA), 2025.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("gen-lra", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.73; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    k: Annotated[int, Field(ge=1, le=1000)] = 5
    reach: Annotated[int, Field(ge=1, le=1000)] = 10
    bandwidth: Annotated[float, Field(gt=0)] = 0.25
    smoothing: Annotated[float, Field(gt=0)] = 0.001

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Add the gains of the nearest released records."""
        if not len(release) or not len(base):
            return np.zeros(len(records))
        release = sorted_by_content(release)
        near = surroundings(release, base, records, self.k)
        metric = gower(records.schema, [release, base, records])
        away = search(release, base, self.reach, metric)[0] * len(records.schema.attributes)
        people, farthest = self._kernel(away).sum(axis=1), away[:, -1]
        own = self._kernel(near.released)
        # A person who is among the people near s must not count beside themselves.
        counted = near.inside[:, None] & (near.released <= farthest[near.rows])
        rest = np.maximum(people[near.rows] - np.where(counted, own, 0.0), 0.0)
        return np.asarray(np.log1p(own / (self.smoothing + rest)).sum(axis=1))

    def _kernel(self, away: Floats) -> Floats:
        return np.asarray(np.exp(-away / self.bandwidth))
