"""Design: how large an epsilon must be so that a game of this size probably proves a claim wrong.

An attack cannot be better than the noise allows: with an epsilon, the best one is wrong as often as
randomized response with this epsilon, on both sides. So the runs that are read refute a claim with
a probability that follows from their number, the level and this epsilon alone. A sanitizer whose
fault is hidden by more than its noise shows less, so a larger epsilon may escape this design.
"""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Floats
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import (
    LARGEST,
    Counts,
    cautious_epsilon,
    error_tail,
    upper_rates,
)

POWER = 0.8
"""How often a wrong claim must be refuted, so that the design is said to refute it."""
_NEVER = float("inf")
_REACH = 8.0
"""So many standard deviations of errors are looked at on either side; the rest is below 1e-14."""


def smallest_refuted(claimed: float, runs: int, *, delta: float, level: float) -> float:
    """The least true epsilon that so many runs per side refute in 80 of 100 audits.

    >>> round(smallest_refuted(1.0, 1000, delta=0.0, level=0.95), 2)
    1.13
    >>> smallest_refuted(1.0, 3, delta=0.0, level=0.95)
    inf

    Parameters
    ----------
    claimed : the epsilon that is claimed.
    runs : how many runs there are with the person, and as many without, whose guesses count.
    level : of the bound, corrected for everything on which the verdict may rest.
    """
    least = _least_telling(claimed, runs, delta, level)
    if least is None:
        return _NEVER
    low, high = claimed, LARGEST
    if refuting_share(high, least, runs, delta=delta, level=level) < POWER:
        return _NEVER
    while high - low > 1e-3:
        middle = (low + high) / 2
        enough = refuting_share(middle, least, runs, delta=delta, level=level) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


def refuting_share(epsilon: float, least: float, runs: int, *, delta: float, level: float) -> float:
    """How often the best attack on a sanitizer with this epsilon shows so telling an outcome.

    Parameters
    ----------
    least : how telling an outcome must be.
    """
    from scipy.special import gammaln, xlog1py, xlogy

    rate = float(1 / (1 + np.exp(epsilon)))
    reach = _REACH * np.sqrt(runs * rate * (1 - rate)) + 20
    errors = np.arange(max(0, int(runs * rate - reach)), min(runs, int(runs * rate + reach)) + 1)
    choices = gammaln(runs + 1) - gammaln(errors + 1) - gammaln(runs - errors + 1)
    likely = np.exp(choices + xlogy(errors, rate) + xlog1py(runs - errors, -rate))
    rates = upper_rates(errors, runs, error_tail(level))
    telling = cautious_epsilon(rates[:, None], rates[None, :], delta)
    return float((np.outer(likely, likely) * (telling >= least)).sum())


def _least_telling(claimed: float, runs: int, delta: float, level: float) -> float | None:
    """How telling an outcome must be to refute the claim; None if none of this many runs is."""
    few, many = -1, runs  # errors on both sides together
    while many - few > 1:
        middle = (few + many) // 2
        if _bound_at(middle, runs, delta, level) > claimed:
            few = middle
        else:
            many = middle
    if few < 0:
        return None
    errors = np.array([few - few // 2, few // 2])
    missed, false = upper_rates(errors, runs, error_tail(level))
    shown: Floats = cautious_epsilon(np.array([missed]), np.array([false]), delta)
    return float(shown[0])


def _bound_at(errors: int, runs: int, delta: float, level: float) -> float:
    counts = Counts(runs - (errors - errors // 2), runs, errors // 2, runs)
    return JointExact().of_counts(counts, delta=delta, level=level)
