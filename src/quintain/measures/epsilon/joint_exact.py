"""Joint exact bound: both counts in one exact test of what an epsilon allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.measures.epsilon.method import (
    Counts,
    cautious_epsilon,
    error_tail,
    largest_rejected,
    upper_rates,
)
from quintain.measures.epsilon.thresholds import ThresholdMethod
from quintain.measures.reading import LEVEL

_STEPS = 4
"""Rates on the edge are tried in steps of a quarter of their standard deviation."""
_FINE, _ROUNDS = 9, 3


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
        # At any place of the edge the outcomes become likelier with epsilon. So the bound is the
        # least over places: go to the likeliest place, lower epsilon there, and look again.
        place, bound = 1.0, math.inf
        while True:
            smaller = outcomes.largest_rejected_at(place, delta, 1 - level)
            if smaller >= bound:
                return bound
            bound = smaller
            place = outcomes.likeliest_place(bound, delta)


@dataclass(frozen=True, slots=True, eq=False)
class _Outcomes:
    """All outcomes with at most so many false alarms, by the number of hits; -1 means none."""

    most_false: Ints
    with_it: int
    without: int

    def probability(self, p: Floats, q: Floats) -> Floats:
        """For each pair of rates, how likely one of the outcomes is."""
        from scipy.special import betainc, gammaln, xlog1py, xlogy

        n, p, q = self.with_it, p[:, None], q[:, None]
        # Nine standard deviations hold all but 1e-18 of the hits.
        reach = int(4.5 * math.sqrt(n)) + 10
        h = np.arange(n + 1)[None] if 2 * reach > n else np.rint(n * p) + np.arange(-reach, reach)
        inside, h = (h >= 0) & (h <= n), np.clip(h, 0, n)
        most = self.most_false[h.astype(np.int64)]
        log_choices = gammaln(n + 1) - gammaln(h + 1) - gammaln(n - h + 1)
        hits = np.exp(log_choices + xlogy(h, p) + xlog1py(n - h, -p))
        few_false = betainc(np.maximum(self.without - most, 1), np.maximum(most, 0) + 1.0, 1 - q)
        few_false = np.where(most == self.without, 1.0, np.where(most < 0, 0.0, few_false))
        total: Floats = (inside * hits * few_false).sum(axis=1)
        return total

    def likeliest_place(self, epsilon: float, delta: float) -> float:
        """Where on the edge of what is allowed the outcomes are most likely.

        More hits and fewer false alarms make them likelier, so the rates that matter are on the
        edge: two lines that meet where both kinds of errors are equally likely.
        """
        places = _places(epsilon, delta, max(self.with_it, self.without))
        for _ in range(_ROUNDS):
            likely = self._along(places, epsilon, delta)
            best = int(likely.argmax())
            ends = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
            places = np.append(np.linspace(*ends, _FINE), places[best])
        return float(places[self._along(places, epsilon, delta).argmax()])

    def largest_rejected_at(self, place: float, delta: float, allowed: float) -> float:
        """The largest epsilon with which the outcomes are rare at a place of the edge."""
        here = np.array([place])
        return largest_rejected(lambda e: float(self._along(here, e, delta)[0]), allowed)

    def _along(self, places: Floats, epsilon: float, delta: float) -> Floats:
        few = max(1, 2_000_000 // (10 * int(math.sqrt(self.with_it)) + 20))
        chunks = [places[i : i + few] for i in range(0, len(places), few)]
        return np.concatenate([self.probability(*_edge(c, epsilon, delta)) for c in chunks])


def _edge(places: Floats, epsilon: float, delta: float) -> tuple[Floats, Floats]:
    """Rates of hits and of false alarms on the edge; place 1 is the corner, 0 and 2 the ends."""
    rare = np.minimum(places, 2 - places) * (1 - delta) / (1 + math.exp(epsilon))
    common = np.minimum(math.exp(epsilon) * rare + delta, 1.0)
    return np.where(places <= 1, common, 1 - rare), np.where(places <= 1, rare, 1 - common)


def _places(epsilon: float, delta: float, n: int) -> Floats:
    """Places so close that neither rate moves by much of its standard deviation between them."""
    corner = (1 - delta) / (1 + math.exp(epsilon))
    count = int(_STEPS * math.sqrt(n)) + 2
    rare, common = _angles(0.0, corner, count), _angles(delta, 1 - corner, count)
    steps = np.concatenate([rare, (common - delta) / math.exp(epsilon)]) / corner
    half = np.clip(steps, 0.0, 1.0)
    return np.unique(np.concatenate([half, 2 - half]))


def _angles(low: float, high: float, count: int) -> Floats:
    """Rates between two ends; on the scale of angles all have the same standard deviation."""
    ends = math.asin(math.sqrt(low)), math.asin(math.sqrt(high))
    rates: Floats = np.sin(np.linspace(*ends, count)) ** 2
    return rates


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
    return _Outcomes(most_false, n, m)
