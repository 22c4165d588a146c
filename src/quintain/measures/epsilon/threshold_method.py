"""ThresholdMethod: bounds from how often scores are above a threshold."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.counts import Counts
from quintain.measures.epsilon.method import EpsilonMethod, refusal
from quintain.measures.epsilon.thresholds import HELD_OUT, ThresholdRule
from quintain.measures.reading import LEVEL, Reading


@dataclass(frozen=True)
class ThresholdMethod(EpsilonMethod):
    """A method that needs a threshold, then counts errors on both sides.

    Parameters
    ----------
    thresholds : how the threshold is chosen.
    """

    thresholds: ThresholdRule = HELD_OUT

    @abstractmethod
    def of_counts(self, counts: Counts, *, delta: float = 0.0, level: float = LEVEL) -> float:
        """The bound for an attack whose threshold was known before these runs."""

    def bound(
        self,
        with_it: Floats,
        without: Floats,
        *,
        delta: float = 0.0,
        level: float = LEVEL,
        rng: np.random.Generator,
    ) -> Reading:
        refused = self.unfit(delta) or refusal(with_it, without, least=2)
        if refused is not None:
            return refused
        value, n = self.thresholds.bound(
            lambda counts, level: self.of_counts(counts, delta=delta, level=level),
            with_it,
            without,
            delta=delta,
            level=level,
            rng=rng,
        )
        return self.reading(value, n, level)

    def ceiling(
        self, n_with: int, n_without: int, *, delta: float = 0.0, level: float = LEVEL
    ) -> float:
        return self.thresholds.ceiling(
            lambda counts, level: self.of_counts(counts, delta=delta, level=level),
            n_with,
            n_without,
            level,
        )
