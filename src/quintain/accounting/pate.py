"""What noisy counts cost: an exact account of discrete Laplace answers.

Every answer is a whole number, or a histogram, that one record changes by at most one in one
place; it is released with discrete Laplace noise of scale b, P(k) ~ exp(-|k| / b). Because |k| and
|k - 1| differ by exactly one, the privacy loss of such an answer takes two values only,

$$ +1/b \\text{ with probability } 1 / (1 + e^{-1/b}), \\qquad -1/b \\text{ otherwise,} $$

which is randomized response at epsilon 1/b, the worst of all mechanisms that are 1/b-private. The
loss of many answers is therefore a sum of binomials, also if each question depends on the answers
before it, and the smallest delta for an epsilon can be summed up without any bound in between.
Basic composition, advanced composition, zero-concentrated and Renyi accounting are all upper
bounds of this number. It depends on scales and counts of answers alone, never on the data: the
data-dependent account of PATE is private information itself.

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
from quintain.noise import Noise

Spent = Mapping[float, int]
"""How many answers were given with noise of each scale."""

_ROUNDING = 1e-6
"""Delta is summed in float64; it is taken to be too small by this part, which is far more."""
_LOSS_ROUNDING = 1e-12
"""A loss of epsilon exactly must not come out a rounding error below it."""
_LEAST_DELTA = math.ulp(0.0)
"""What is not zero must not become zero, where nothing but zero is allowed."""
_LEAST_SCALE = 1e-6
"""There is no noise of a smaller scale."""


def delta_of(epsilon: float, spent: Spent) -> float:
    """The smallest delta for which the answers are (epsilon, delta)-private.

    One answer of scale 1 has losses of +1 and -1, with probabilities e / (1 + e), 1 / (1 + e):

    >>> delta_of(1.1, {1.0: 1}), round(delta_of(0.0, {1.0: 1}), 5)
    (0.0, 0.46212)
    """
    most = sum(count / scale for scale, count in spent.items())
    if most * (1 + _LOSS_ROUNDING) <= epsilon:
        return 0.0
    *others, (scale, count) = sorted(spent.items(), key=lambda held: held[1])
    before, log_before = np.zeros(1), np.zeros(1)
    for other in others:
        losses, logs = _losses(*other)
        before = (before[:, None] + losses).ravel()
        log_before = (log_before[:, None] + logs).ravel()
    losses, logs = _losses(scale, count)
    # With p(k) the probability of the k-th loss of the most numerous answers:
    # above[k] is the sum of p(i) over i >= k, excess[k] that of p(i) (1 - exp(loss(k) - loss(i))).
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


def least_scale(epsilon: float, delta: float, spent: Spent, count: int) -> float:
    """The least noise with which so many more answers still fit the budget."""

    def too_little(log_scale: float) -> bool:
        return delta_of(epsilon, with_more(spent, math.exp(log_scale), count)) > delta

    low, high = math.log(0.5 / epsilon), math.log(2.0 * count / epsilon)
    while too_little(high):
        high += 1.0
        if high > 100:
            raise NoiseError("nothing of the privacy budget is left")
    while high - low > 1e-12 * max(1.0, abs(high)):
        middle = (low + high) / 2
        if too_little(middle):
            low = middle
        else:
            high = middle
    return max(math.exp(high), _LEAST_SCALE)


def most_answers(epsilon: float, delta: float, spent: Spent, scale: float, limit: int) -> int:
    """How many more answers with this noise fit the budget, at most ``limit``."""
    low, high = 0, limit + 1
    while high - low > 1:
        middle = (low + high) // 2
        if delta_of(epsilon, with_more(spent, scale, middle)) <= delta:
            low = middle
        else:
            high = middle
    return low


def with_more(spent: Spent, scale: float, count: int) -> dict[float, int]:
    """What will have been spent after so many more answers.

    >>> with_more({2.0: 5}, 2.0, 3)
    {2.0: 8}
    """
    return {**spent, scale: spent.get(scale, 0) + count}


@dataclass(slots=True)
class Ledger:
    """A privacy budget: every noisy answer comes out of it, and none that it cannot pay.

    Parameters
    ----------
    epsilon, delta : the budget.
    spent : the answers given so far.
    """

    epsilon: float
    delta: float
    spent: Spent = field(default_factory=dict)

    def histogram(self, counts: Ints, scale: float, noise: Noise) -> Ints:
        """Counts of disjoint groups of records: one answer, since a record is in one group."""
        self._charge(scale, 1)
        return counts + noise.laplace(scale, len(counts))

    def votes(self, counts: Ints, scale: float, noise: Noise) -> Ints:
        """Counts that one record may change all at once, by one each: as many answers."""
        self._charge(scale, len(counts))
        return counts + noise.laplace(scale, len(counts))

    def _charge(self, scale: float, count: int) -> None:
        """Note the answers before they are made; refuse them if they would cost too much."""
        spent = with_more(self.spent, scale, count)
        if delta_of(self.epsilon, spent) > self.delta:
            raise NoiseError(
                f"{count} more answers with noise of scale {scale:.4g} would exceed the budget of "
                f"epsilon {self.epsilon:g}, delta {self.delta:g}: nothing was answered"
            )
        self.spent = spent


def _losses(scale: float, count: int) -> tuple[Floats, Floats]:
    """The losses that answers can have together, rising, and the logs of their probabilities."""
    step = 1 / scale
    gains = np.arange(count + 1, dtype=np.float64)
    chosen = gammaln(count + 1) - gammaln(gains + 1) - gammaln(count - gains + 1)
    logs = chosen - (count - gains) * step - count * math.log1p(math.exp(-step))
    return (2 * gains - count) * step * (1 + _LOSS_ROUNDING), logs
