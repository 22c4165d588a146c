"""Thresholds: from which score on an attack says yes, chosen so that the bound stays valid.

A threshold that is chosen on the runs it is judged by makes every attack look good. So it comes
from other runs, or the level pays for the choice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.counts import Counts
from quintain.measures.epsilon.error_order import cautious_epsilon, error_tail, upper_rates

CountsBound = Callable[[Counts, float], float]
"""A bound from counts at a level; delta is already in it."""
CANDIDATES = 200
"""So many thresholds are compared at most."""
LARGEST = 1e300
"""Infinite scores become this, so that a threshold can lie between any two."""


def best_threshold(with_it: Floats, without: Floats, delta: float, level: float) -> float:
    """The threshold between two scores from which these runs show the largest epsilon."""
    scores = np.clip(np.concatenate([with_it, without]), -LARGEST, LARGEST)
    values = np.unique(scores)
    if len(values) == 1:
        return float(values[0])
    places = np.unique(np.linspace(0, len(values) - 2, CANDIDATES).astype(np.int64))
    candidates = values[places] / 2 + values[places + 1] / 2
    missed = np.searchsorted(np.sort(with_it), candidates, side="right")
    false = len(without) - np.searchsorted(np.sort(without), candidates, side="right")
    tail = error_tail(level)
    shown = cautious_epsilon(
        upper_rates(missed, len(with_it), tail), upper_rates(false, len(without), tail), delta
    )
    # Where nothing is shown at all, the threshold with the fewest errors is the best guess.
    errors = missed / len(with_it) + false / len(without)
    return float(candidates[np.lexsort((errors, -shown))[0]])


class ThresholdRule(ABC):
    """A way to choose thresholds, and to pay for the choice."""

    @abstractmethod
    def bound(
        self,
        of_counts: CountsBound,
        with_it: Floats,
        without: Floats,
        *,
        delta: float,
        level: float,
        rng: np.random.Generator,
    ) -> tuple[float, int]:
        """The bound, and the number of runs that it rests on."""

    @abstractmethod
    def ceiling(self, of_counts: CountsBound, n_with: int, n_without: int, level: float) -> float:
        """The bound if the attack is never wrong."""


@dataclass(frozen=True)
class FixedThreshold(ThresholdRule):
    """A threshold that was known before the runs; all of them count.

    Parameters
    ----------
    threshold : the attack says yes to scores above it.
    """

    threshold: float = 0.0

    def bound(
        self,
        of_counts: CountsBound,
        with_it: Floats,
        without: Floats,
        *,
        delta: float,
        level: float,
        rng: np.random.Generator,
    ) -> tuple[float, int]:
        counts = Counts.above(self.threshold, with_it, without)
        return of_counts(counts, level), counts.n

    def ceiling(self, of_counts: CountsBound, n_with: int, n_without: int, level: float) -> float:
        return of_counts(Counts.perfect(n_with, n_without), level)


@dataclass(frozen=True)
class HeldOutThreshold(ThresholdRule):
    """Some runs, drawn at random, choose the threshold; the others give the bound.

    Parameters
    ----------
    share : the share of the runs that choose; at least one run of either kind does.
    """

    share: float = 0.25

    def bound(
        self,
        of_counts: CountsBound,
        with_it: Floats,
        without: Floats,
        *,
        delta: float,
        level: float,
        rng: np.random.Generator,
    ) -> tuple[float, int]:
        first, second = self._split(with_it, rng)
        third, fourth = self._split(without, rng)
        counts = Counts.above(best_threshold(first, third, delta, level), second, fourth)
        return of_counts(counts, level), counts.n

    def ceiling(self, of_counts: CountsBound, n_with: int, n_without: int, level: float) -> float:
        rest = [n - self._choosing(n) for n in (n_with, n_without)]
        return of_counts(Counts.perfect(*rest), level)

    def _choosing(self, n: int) -> int:
        return max(0, min(max(1, int(n * self.share)), n - 1))

    def _split(self, scores: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        mixed = rng.permutation(scores)
        cut = self._choosing(len(scores))
        return mixed[:cut], mixed[cut:]


HELD_OUT = HeldOutThreshold()
"""What methods use unless told otherwise: a quarter of the runs chooses, three quarters count."""


@dataclass(frozen=True)
class SeveralSplits(ThresholdRule):
    """The median bound over several splits, each with half of the error that the level allows.

    Twice the median of p-values is a p-value, however these depend on each other. The bound is the
    median of the bounds at the halved error, so it does not hang on one lucky or unlucky split.

    Parameters
    ----------
    splits : how many times the runs are split; an odd number.
    share : the share of the runs that choose in each split.

    References
    ----------
    Meinshausen, Meier and Bühlmann, p-values for high-dimensional regression, JASA 2009.
    """

    splits: int = 11
    share: float = 0.25

    def bound(
        self,
        of_counts: CountsBound,
        with_it: Floats,
        without: Floats,
        *,
        delta: float,
        level: float,
        rng: np.random.Generator,
    ) -> tuple[float, int]:
        each, strict = HeldOutThreshold(self.share), self._strict(level)
        bounds = [
            each.bound(of_counts, with_it, without, delta=delta, level=strict, rng=rng)[0]
            for _ in range(self.splits)
        ]
        # An even number of splits takes the lower of the two in the middle.
        return sorted(bounds)[(self.splits - 1) // 2], len(with_it) + len(without)

    def ceiling(self, of_counts: CountsBound, n_with: int, n_without: int, level: float) -> float:
        each = HeldOutThreshold(self.share)
        return each.ceiling(of_counts, n_with, n_without, self._strict(level))

    @staticmethod
    def _strict(level: float) -> float:
        return 1 - (1 - level) / 2
