"""Ranked thresholds: all runs count, and the level pays for several thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.clopper_pearson import epsilon_bound
from quintain.measures.epsilon.method import EpsilonMethod, refusal
from quintain.measures.reading import LEVEL, Reading


@dataclass(frozen=True)
class RankedThresholds(EpsilonMethod):
    """Exact binomial bounds at thresholds of given ranks; the best of them is the bound.

    The threshold with rank j is the score that j of the runs without the person exceed. Its true
    rate of false alarms has the law of an order statistic, and that is the law from which the
    exact upper limit for j false alarms is taken. So no run must be held out. In the same way a
    run with the person gives the threshold that j of them miss. Each threshold gets its share of
    the error that is allowed (Bonferroni).

    Parameters
    ----------
    shares : the ranks, as shares of the runs; each gives one threshold from either side.

    References
    ----------
    Jagielski, Ullman and Oprea, Auditing differentially private machine learning, NeurIPS 2020.
    David and Nagaraja, Order statistics, 2003.
    """

    name: ClassVar[str] = "clopper-pearson-ranks"
    guarantee: ClassVar[str] = "above the true epsilon in at most 1 - level of all audits"
    shares: tuple[float, ...] = (0.0, 0.2)

    def bound(
        self,
        with_it: Floats,
        without: Floats,
        *,
        delta: float = 0.0,
        level: float = LEVEL,
        rng: np.random.Generator,
    ) -> Reading:
        refused = refusal(with_it, without, least=2)
        if refused is not None:
            return refused
        n, m, each = len(with_it), len(without), self._each(level)
        # Equal scores are put in a random order: ranks need scores that all differ.
        order = np.lexsort((rng.random(n + m), np.concatenate([with_it, without])))
        place = np.argsort(order)
        up, down = np.sort(place[:n]), np.sort(place[n:])[::-1]
        counts = []
        for false, missed in self._ranks(n, m):
            hits = int(np.count_nonzero(up > down[false]))
            alarms = int(np.count_nonzero(down >= up[missed]))
            counts += [(hits, n, false, m), (n - missed, n, alarms, m)]
        bounds = [epsilon_bound(*one, delta=delta, level=each).value for one in counts]
        return self.reading(max(bounds), n + m, level)

    def ceiling(
        self, n_with: int, n_without: int, *, delta: float = 0.0, level: float = LEVEL
    ) -> float:
        n, m, each = n_with, n_without, self._each(level)
        counts = []
        for false, missed in self._ranks(n, m):
            counts += [(n, n, false, m), (n - missed, n, 0, m)]
        return max(epsilon_bound(*one, delta=delta, level=each).value for one in counts)

    def _ranks(self, n: int, m: int) -> list[tuple[int, int]]:
        return [(int(share * m), int(share * n)) for share in self.shares]

    def _each(self, level: float) -> float:
        return 1 - (1 - level) / (2 * len(self.shares))
