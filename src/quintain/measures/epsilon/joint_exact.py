"""Joint exact bound: both counts in one exact test of what an epsilon allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.measures.epsilon.counts import Counts
from quintain.measures.epsilon.error_order import cautious_epsilon, error_tail, upper_rates
from quintain.measures.epsilon.largest_rejected import largest_rejected
from quintain.measures.epsilon.threshold_method import ThresholdMethod
from quintain.measures.reading import LEVEL

_COARSE, _FINE, _ROUNDS = 33, 9, 3


@dataclass(frozen=True)
class JointExact(ThresholdMethod):
    """The largest valid bound that puts the outcomes of an attack in a given order.

    A mechanism with epsilon and delta allows rates of hits p and of false alarms q with
    p <= e^epsilon q + delta and 1 - q <= e^epsilon (1 - p) + delta. The bound is the least epsilon
    for which some allowed pair makes an outcome as telling as the observed one, or more, likelier
    than 1 - level. How telling an outcome is, an order by upper limits of both error rates says.
    One test of both counts wastes less than two intervals that must hold together.

    References
    ----------
    Buehler, Confidence intervals for the product of two binomial parameters, JASA 1957.
    Kairouz, Oh and Viswanath, The composition theorem for differential privacy, ICML 2015.

    >>> round(JointExact().of_counts(Counts.perfect(100, 100)), 3)
    4.194
    """

    name: ClassVar[str] = "joint-exact"
    guarantee: ClassVar[str] = "above the true epsilon in at most 1 - level of all audits"

    def of_counts(self, counts: Counts, *, delta: float = 0.0, level: float = LEVEL) -> float:
        outcomes = _as_telling(counts, delta, error_tail(level))
        if outcomes is None:
            return 0.0
        return largest_rejected(lambda epsilon: outcomes.likeliest(epsilon, delta) <= 1 - level)


@dataclass(frozen=True, slots=True, eq=False)
class _Outcomes:
    """All outcomes with these hits and at most so many false alarms each."""

    hits: Ints
    most_false: Ints
    with_it: int
    without: int

    def probability(self, p: Floats, q: Floats) -> Floats:
        """For each pair of rates, how likely one of the outcomes is."""
        from scipy.special import betainc, gammaln, xlog1py, xlogy

        h, n, rest = self.hits, self.with_it, self.without - self.most_false
        log_choices = gammaln(n + 1) - gammaln(h + 1) - gammaln(n - h + 1)
        log_hits = log_choices + xlogy(h, p[:, None]) + xlog1py(n - h, -p[:, None])
        few_false = betainc(np.maximum(rest, 1), self.most_false + 1.0, 1 - q[:, None])
        few_false = np.where(rest == 0, 1.0, few_false)
        total: Floats = (np.exp(log_hits) * few_false).sum(axis=1)
        return total

    def likeliest(self, epsilon: float, delta: float) -> float:
        """How likely the outcomes are at most, if the mechanism has this epsilon and delta.

        More hits and fewer false alarms make them likelier, so the rates that matter are on the
        edge of what is allowed: two lines that meet where both kinds of errors are equally likely.
        """
        places = np.linspace(0, 2, _COARSE)
        largest = 0.0
        for _ in range(_ROUNDS):
            likely = self.probability(*_edge(places, epsilon, delta))
            best = int(likely.argmax())
            largest = max(largest, float(likely[best]))
            ends = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
            places = np.linspace(*ends, _FINE)
        return largest


def _edge(places: Floats, epsilon: float, delta: float) -> tuple[Floats, Floats]:
    """Rates of hits and of false alarms on the edge; place 1 is the corner, 0 and 2 the ends."""
    rare = np.minimum(places, 2 - places) * (1 - delta) / (1 + math.exp(epsilon))
    common = math.exp(epsilon) * rare + delta
    return np.where(places <= 1, common, 1 - rare), np.where(places <= 1, rare, 1 - common)


def _as_telling(counts: Counts, delta: float, tail: float) -> _Outcomes | None:
    """All outcomes that speak for as large an epsilon as the observed one; None if it is nought."""
    n, m = counts.with_it, counts.without
    missed = upper_rates(n - np.arange(n + 1), n, tail)
    false = upper_rates(np.arange(m + 1), m, tail)
    here = slice(counts.hits, counts.hits + 1), slice(counts.false, counts.false + 1)
    shown = float(cautious_epsilon(missed[here[0]], false[here[1]], delta)[0])
    if shown <= 0:
        return None
    factor = math.exp(shown)
    limit = np.maximum((1 - missed - delta) / factor, 1 - delta - missed * factor)
    # A rate that equals the limit but for rounding counts as telling: that is the safe side.
    most_false = np.searchsorted(false, limit * (1 + 1e-12) + 1e-15, side="right") - 1
    hits = np.flatnonzero(most_false >= 0)
    return _Outcomes(hits, most_false[hits], n, m)
