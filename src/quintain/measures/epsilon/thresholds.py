"""Thresholds: from which score on an attack says yes, chosen so that the bound stays valid.

A threshold that is chosen on the runs it is judged by makes every attack look good. So it comes
from other runs, or the level pays for the choice.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.method import (
    Counts,
    EpsilonMethod,
    cautious_epsilon,
    error_tail,
    refusal,
    upper_rates,
)
from quintain.measures.intervals import clopper_pearson
from quintain.measures.reading import LEVEL, Reading

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


# ThresholdMethod: bounds from how often scores are above a threshold.
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


# Ranked thresholds: all runs count, and the level pays for several thresholds.
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
        bounds = [epsilon_bound(*answers, delta=delta, level=each).value for answers in counts]
        return self.reading(max(bounds), n + m, level)

    def ceiling(
        self, n_with: int, n_without: int, *, delta: float = 0.0, level: float = LEVEL
    ) -> float:
        n, m, each = n_with, n_without, self._each(level)
        counts = []
        for false, missed in self._ranks(n, m):
            counts += [(n, n, false, m), (n - missed, n, 0, m)]
        return max(epsilon_bound(*answers, delta=delta, level=each).value for answers in counts)

    def _ranks(self, n: int, m: int) -> list[tuple[int, int]]:
        return [(int(share * m), int(share * n)) for share in self.shares]

    def _each(self, level: float) -> float:
        return 1 - (1 - level) / (2 * len(self.shares))


# A lower bound on epsilon from an attack that distinguishes two neighbouring data sets.


def epsilon_bound(
    hits: int, with_it: int, false: int, without: int, *, delta: float = 0.0, level: float = LEVEL
) -> Reading:
    """The least epsilon that a mechanism can have, given how well an attack distinguishes its runs.

    The attack says of each run whether the record was in the data. It says yes for ``hits`` of the
    ``with_it`` runs with the record, and for ``false`` of the ``without`` runs without it. Exact
    binomial bounds on both error rates hold together with probability ``level``. The attack must
    have been tuned on other runs.

    References
    ----------
    Jagielski, Ullman and Oprea, Auditing differentially private machine learning, NeurIPS 2020.

    >>> print(epsilon_bound(0, 100, 0, 100))
    at least 0
    >>> print(epsilon_bound(100, 100, 0, 100))
    at least 3.281
    """
    # Two-sided intervals at this level leave (1 - level) / 2 in the tail that matters.
    missed_high = clopper_pearson(with_it - hits, with_it, level)[1]
    false_high = clopper_pearson(false, without, level)[1]
    bounds = [0.0]
    for right, wrong in ((1 - missed_high, false_high), (1 - false_high, missed_high)):
        if right - delta > 0:
            bounds.append(math.log((right - delta) / wrong))
    method = "Clopper-Pearson, both error rates"
    return Reading.at_least(max(bounds), with_it + without, "lower", method=method, level=level)


def audited_epsilon(
    with_it: Floats, without: Floats, *, delta: float = 0.0, level: float = LEVEL
) -> Reading:
    """The bound from scores of runs: half of them choose the threshold, the rest give the bound."""
    first, second = with_it[::2], with_it[1::2]
    third, fourth = without[::2], without[1::2]

    def bound(inside: Floats, outside: Floats, threshold: float) -> Reading:
        hits, false = int((inside > threshold).sum()), int((outside > threshold).sum())
        return epsilon_bound(hits, len(inside), false, len(outside), delta=delta, level=level)

    candidates = np.unique(np.quantile(np.concatenate([first, third]), np.linspace(0, 1, 101)))
    best = max(candidates.tolist(), key=lambda threshold: bound(first, third, threshold).value)
    return bound(second, fourth, best)


@dataclass(frozen=True)
class ClopperPearson(ThresholdMethod):
    """Exact binomial bounds on both error rates, each with half of the error that is allowed.

    References
    ----------
    Jagielski, Ullman and Oprea, Auditing differentially private machine learning, NeurIPS 2020.

    >>> round(ClopperPearson().of_counts(Counts.perfect(100, 100)), 3)
    3.281
    """

    name: ClassVar[str] = "clopper-pearson"
    guarantee: ClassVar[str] = "above the true epsilon in at most 1 - level of all audits"

    def of_counts(self, counts: Counts, *, delta: float = 0.0, level: float = LEVEL) -> float:
        sides = (counts.hits, counts.with_it, counts.false, counts.without)
        return epsilon_bound(*sides, delta=delta, level=level).value
