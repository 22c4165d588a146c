"""How much privacy noisy counts cost: an exact account of answers with discrete Laplace noise.

Every answer is a whole number, or a histogram. One record changes it by at most one, in one place.
It is released with discrete Laplace noise of scale b, P(k) ~ exp(-|k| / b). Because |k| and
|k - 1| differ by exactly one, the privacy loss of such an answer takes only two values:

$$ +1/b \\text{ with probability } 1 / (1 + e^{-1/b}), \\qquad -1/b \\text{ otherwise,} $$

This is randomized response at epsilon 1/b, the worst of all mechanisms that are 1/b-private. The
loss of many answers is therefore a sum of binomials, even if each question depends on the answers
before it. The smallest delta for an epsilon is a finite sum, and no bound is needed in between.
Only where noise of many scales gives millions of different sums, near ones count as the largest.
Basic composition, advanced composition, zero-concentrated and Renyi accounting all give upper
bounds of this number. It depends only on scales and on counts of answers, never on the data. The
data-dependent account of PATE would itself be private information.

References
----------
Kairouz, Oh and Viswanath (2015), The Composition Theorem for Differential Privacy, theorem 3.3.
Zhu, Dong and Wang (2022), Optimal Accounting of Differential Privacy via Characteristic Function.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from scipy.special import gammaln

from quintain.data.arrays import Floats, Ints
from quintain.errors import NoiseError
from quintain.randomness.noise import Noise

Answers = Mapping[float, int]
"""How many answers were given with noise of each scale: scale to count."""

_ROUNDING = 1e-6
"""Delta is raised by this fraction, which is far more than the rounding error of its sum."""
_LOSS_ROUNDING = 1e-12
"""Losses are raised by this fraction, so that rounding never makes one too small."""
_LEAST_DELTA = math.ulp(0.0)
"""A positive delta must not underflow to zero, because a budget may allow exactly zero."""
_LEAST_SCALE = 1e-6
"""The smallest scale of noise that is ever used."""
_MOST_SUMS = 1 << 22
"""More sums of losses than these are not listed one by one."""


def delta_of(epsilon: float, answers: Answers) -> float:
    """Give the smallest delta for which the answers are (epsilon, delta)-private.

    One answer of scale 1 has the losses +1 and -1, with probabilities e / (1 + e) and 1 / (1 + e):

    >>> delta_of(1.1, {1.0: 1}), round(delta_of(0.0, {1.0: 1}), 5)
    (0.0, 0.46212)
    """
    most = sum(count / scale for scale, count in answers.items())
    if most * (1 + _LOSS_ROUNDING) <= epsilon:
        return 0.0
    *others, (scale, count) = sorted(answers.items(), key=lambda item: item[1])
    before, log_before = np.zeros(1), np.zeros(1)
    for other in others:
        losses, logs = _losses(*other)
        if len(before) * len(losses) > _MOST_SUMS:
            root = math.isqrt(_MOST_SUMS)
            losses, logs = _merge(losses, logs, root)
            before, log_before = _merge(before, log_before, _MOST_SUMS // len(losses))
        before = (before[:, None] + losses).ravel()
        log_before = (log_before[:, None] + logs).ravel()
    losses, logs = _losses(scale, count)
    # Let p(k) be the probability of the k-th loss of the most numerous answers. Then above[k] sums
    # p(i) over i >= k, and excess[k] sums p(i) (1 - exp(loss(k) - loss(i))).
    above = np.cumsum(np.exp(logs)[::-1])[::-1]
    less, rest = math.exp(-2 / scale), -math.expm1(-2 / scale)
    excess = np.array(
        list(accumulate(above[:0:-1].tolist(), lambda e, a: rest * a + less * e, initial=0.0))
    )[::-1]
    first = np.searchsorted(losses, epsilon - before, side="right")
    over = first < len(losses)
    first, chance = first[over], np.exp(log_before[over])
    gap = losses[first] + before[over] - epsilon
    delta = float(chance @ (-np.expm1(-gap) * above[first] + np.exp(-gap) * excess[first]))
    return min(1.0, max(delta * (1 + _ROUNDING), _LEAST_DELTA))


def least_scale(epsilon: float, delta: float, answers: Answers, count: int) -> float:
    """Give the smallest scale of noise with which ``count`` more answers still fit the budget.

    Two answers at pure epsilon 1 cost a half each, so each needs noise of scale 2:

    >>> round(least_scale(1.0, 0.0, {}, 2), 6)
    2.0
    """

    def too_little(log_scale: float) -> bool:
        return delta_of(epsilon, with_more(answers, math.exp(log_scale), count)) > delta

    low, high = math.log(0.5 / epsilon), math.log(2.0 * count / epsilon)
    while too_little(high):
        high += 1.0
        if high > 100:
            raise NoiseError("the privacy budget is used up; no further answer fits")
    while high - low > 1e-12 * max(1.0, abs(high)):
        middle = (low + high) / 2
        if too_little(middle):
            low = middle
        else:
            high = middle
    return max(math.exp(high), _LEAST_SCALE)


def most_answers(epsilon: float, delta: float, answers: Answers, scale: float, limit: int) -> int:
    """Count the further answers with this noise that fit the budget; ``limit`` at most."""
    low, high = 0, limit + 1
    while high - low > 1:
        middle = (low + high) // 2
        if delta_of(epsilon, with_more(answers, scale, middle)) <= delta:
            low = middle
        else:
            high = middle
    return low


def with_more(answers: Answers, scale: float, count: int) -> dict[float, int]:
    """Add ``count`` answers with noise of one scale to the answers given before.

    >>> with_more({2.0: 5}, 2.0, 3)
    {2.0: 8}
    """
    return {**answers, scale: answers.get(scale, 0) + count}


@dataclass(slots=True)
class Ledger:
    """A privacy budget that pays for every noisy answer, and refuses answers it cannot pay.

    Parameters
    ----------
    epsilon, delta : the budget.
    answers : the answers given so far.
    """

    epsilon: float
    delta: float
    answers: Answers = field(default_factory=dict)

    def histogram(self, counts: Ints, scale: float, noise: Noise) -> Ints:
        """Add noise to counts of disjoint groups; one answer, since a record is in one group."""
        self._charge(scale, 1)
        return counts + noise.laplace(scale, len(counts))

    def votes(self, counts: Ints, scale: float, noise: Noise) -> Ints:
        """Add noise to counts that one record may change all at once; each costs one answer."""
        self._charge(scale, len(counts))
        return counts + noise.laplace(scale, len(counts))

    def _charge(self, scale: float, count: int) -> None:
        """Record answers before they are given; refuse them if they would exceed the budget."""
        answers = with_more(self.answers, scale, count)
        if delta_of(self.epsilon, answers) > self.delta:
            raise NoiseError(
                f"{count} more answers with noise of scale {scale:.4g} would exceed the budget of "
                f"epsilon {self.epsilon:g}, delta {self.delta:g}; no answer was given"
            )
        self.answers = answers


def _losses(scale: float, count: int) -> tuple[Floats, Floats]:
    """List the total losses of ``count`` answers in rising order, with their log probabilities."""
    step = 1 / scale
    gains = np.arange(count + 1, dtype=np.float64)
    chosen = gammaln(count + 1) - gammaln(gains + 1) - gammaln(count - gains + 1)
    logs = chosen - (count - gains) * step - count * math.log1p(math.exp(-step))
    return (2 * gains - count) * step * (1 + _LOSS_ROUNDING), logs


def _merge(losses: Floats, logs: Floats, most: int) -> tuple[Floats, Floats]:
    """At most ``most`` losses: each is raised to the next of a grid, so that delta only grows."""
    if len(losses) <= most:
        return losses, logs
    low, high = float(losses.min()), float(losses.max())
    width = (high - low) / (most - 1)
    places = np.ceil((losses - low) / width).astype(np.int64).clip(0, most - 1)
    order = np.argsort(places, kind="stable")
    kept, first = np.unique(places[order], return_index=True)
    merged = np.logaddexp.reduceat(logs[order], first)
    # Rounding must not put a loss below the largest that it stands for.
    return np.maximum(low + kept * width, np.maximum.reduceat(losses[order], first)), merged
