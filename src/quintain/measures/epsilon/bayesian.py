"""Bayesian epsilon: the credible interval that follows from flat beliefs about error rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.method import Counts, bracketed_root
from quintain.measures.epsilon.thresholds import ThresholdMethod
from quintain.measures.reading import LEVEL, tail

_NODES = 24
_NEGLIGIBLE = 1e-13
_LARGEST = 64.0


def credible_interval(
    counts: Counts, *, delta: float = 0.0, level: float = LEVEL
) -> tuple[float, float]:
    """Between which values epsilon lies with probability ``level``, given the counts.

    Beliefs about both error rates are Jeffreys' before the runs. Rates that no epsilon below e
    allows carry the belief that epsilon is above e. That includes an attack that is worse than
    chance, so the interval never begins at nought, not even if the runs show nothing.

    >>> low, high = credible_interval(Counts(450, 500, 20, 500))
    >>> round(low, 3), round(high, 3)
    (2.708, 3.568)
    """
    belief = Belief(counts, delta)
    outside = tail(level)
    return belief.quantile(outside), belief.quantile(1 - outside)


@dataclass(frozen=True)
class Belief:
    """How probable each epsilon is after the runs.

    Parameters
    ----------
    counts : the answers of the attack.
    delta : the delta of the mechanism.
    folded : whether an attack that is worse than chance counts as one that shows nothing.
    """

    counts: Counts
    delta: float = 0.0
    folded: bool = False

    def below(self, epsilon: float) -> float:
        """The probability that the error rates are allowed by this epsilon."""
        from scipy.special import betainc

        a, b = self._missed
        x, weights = self._nodes(epsilon)
        high = 1.0 if self.folded else 1 - _least_missed(1 - x, epsilon, self.delta)
        low = _least_missed(x, epsilon, self.delta)
        return float(weights @ (betainc(a, b, high) - betainc(a, b, low)))

    def quantile(self, probability: float) -> float:
        """The epsilon below which the true one lies with this probability."""

        def short(epsilon: float) -> float:
            return self.below(epsilon) - probability

        if short(0.0) >= 0:
            return 0.0
        high = 1.0
        while short(high) < 0:
            high *= 2
            if high > _LARGEST:
                return _LARGEST
        return bracketed_root(short, 0.0, high, 1e-9)

    @property
    def _missed(self) -> tuple[float, float]:
        return self.counts.with_it - self.counts.hits + 0.5, self.counts.hits + 0.5

    @property
    def _false(self) -> tuple[float, float]:
        return self.counts.false + 0.5, self.counts.without - self.counts.false + 0.5

    @cached_property
    def _window(self) -> Floats:
        """The angles outside of which the rate of false alarms is hardly possible."""
        from scipy.special import betaincinv

        ends = betaincinv(*self._false, np.array([_NEGLIGIBLE, 0.5, 1 - _NEGLIGIBLE]))
        return np.asarray(np.arcsin(np.sqrt(ends)))

    @cached_property
    def _likely_missed(self) -> Floats:
        from scipy.special import betaincinv

        return np.asarray(betaincinv(*self._missed, np.array([1e-13, 1e-3, 0.5, 0.999, 1 - 1e-13])))

    @cached_property
    def _rule(self) -> tuple[Floats, Floats]:
        return np.polynomial.legendre.leggauss(_NODES)

    def _breaks(self, epsilon: float) -> Floats:
        """Where the integrand bends or falls: the corner, and where misses become likely."""
        factor, rest = math.exp(epsilon), 1 - self.delta
        corner = np.array([rest / (1 + factor)])
        y = self._likely_missed
        z = 1 - y
        lower = np.concatenate([corner, (rest - y) / factor, rest - factor * y])
        upper = 1 - np.concatenate([corner, (rest - z) / factor, rest - factor * z])
        rates = np.clip(np.concatenate([lower, upper]), 0.0, 1.0)
        first, middle, last = self._window
        angles = np.clip(np.arcsin(np.sqrt(rates)), first, last)
        return np.unique(np.concatenate([angles, [first, middle, last]]))

    def _nodes(self, epsilon: float) -> tuple[Floats, Floats]:
        """Rates of false alarms and their weights, exact for smooth functions between the breaks.

        The squared sine of an angle takes the poles off Jeffreys' prior: the density is smooth.
        """
        from scipy.special import betaln, xlogy

        a, b = self._false
        ends, (places, weights) = self._breaks(epsilon), self._rule
        half = np.diff(ends)[:, None] / 2
        angle = (ends[:-1, None] + half + half * places).ravel()
        sine, cosine = np.sin(angle), np.cos(angle)
        log_density = xlogy(2 * a - 1, sine) + xlogy(2 * b - 1, cosine) - betaln(a, b)
        return sine**2, 2 * np.exp(log_density) * (half * weights).ravel()


def _least_missed(false: Floats, epsilon: float, delta: float) -> Floats:
    """The least rate of misses that is allowed beside a rate of false alarms."""
    factor, rest = math.exp(epsilon), 1 - delta
    return np.maximum(0.0, np.maximum(rest - factor * false, (rest - false) / factor))


@dataclass(frozen=True)
class Bayesian(ThresholdMethod):
    """The lower end of the two-sided credible interval for epsilon.

    It is a statement about beliefs, not about repeated audits: nobody guarantees how often it is
    above the true epsilon. The interval is two-sided, so its lower end leaves half of the error
    below; that is what kept it valid where it was tried. An attack that is worse than chance shows
    nothing; if it counted, runs without any signal would seem to prove a positive epsilon.

    References
    ----------
    Zanella-Béguelin et al., Bayesian estimation of differential privacy, ICML 2023.

    >>> round(Bayesian().of_counts(Counts.perfect(100, 100)), 2)
    4.6
    """

    name: ClassVar[str] = "bayesian"
    guarantee: ClassVar[str] = (
        "a credible interval: below the true epsilon with probability 1 - (1 - level) / 2 if the "
        "error rates were drawn from Jeffreys' prior; no guarantee for a fixed mechanism"
    )

    def of_counts(self, counts: Counts, *, delta: float = 0.0, level: float = LEVEL) -> float:
        return Belief(counts, delta, folded=True).quantile(tail(level))
