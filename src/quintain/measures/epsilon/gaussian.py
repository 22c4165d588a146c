"""Gaussian bound: what counts prove of a mechanism that trades errors as Gaussian noise does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from quintain.measures.epsilon.method import Counts, largest_rejected
from quintain.measures.epsilon.thresholds import ThresholdMethod
from quintain.measures.intervals import clopper_pearson
from quintain.measures.reading import LEVEL, Reading

NOT_GAUSSIAN = (
    "this bound holds only for mechanisms whose trade-off curve is Gaussian; "
    "set mechanism_is_gaussian=True if you know that this one is"
)
NO_DELTA = "a Gaussian mechanism has no finite epsilon for delta 0; give the delta that it claims"


def not_gaussian(mechanism_is_gaussian: bool, delta: float) -> Reading | None:
    """A reading that says why a Gaussian bound is refused; None if it is not."""
    if mechanism_is_gaussian and delta > 0:
        return None
    return Reading.missing("lower", NO_DELTA if mechanism_is_gaussian else NOT_GAUSSIAN)


def gaussian_delta(epsilon: float, mu: float) -> float:
    """The delta of a mu-GDP mechanism at an epsilon.

    >>> round(gaussian_delta(1.0, 1.0), 4)
    0.1269
    """
    from scipy.special import log_ndtr, ndtr

    if mu == 0:
        return 0.0
    # e^epsilon alone overflows where the product is small.
    second = math.exp(epsilon + float(log_ndtr(-epsilon / mu - mu / 2)))
    return float(ndtr(-epsilon / mu + mu / 2)) - second


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The epsilon of a mu-GDP mechanism at a delta.

    >>> round(gaussian_epsilon(1.0, 1e-5), 3)
    4.377
    """
    if delta == 0:
        return math.inf if mu > 0 else 0.0
    # Delta falls as epsilon grows, so its inverse takes the place of a p-value.
    return largest_rejected(lambda e: 1 / max(gaussian_delta(e, mu), 1e-300), 1 / delta)


def least_mu(counts: Counts, *, level: float = LEVEL) -> float:
    """The least mu with which both error rates can be as low as their upper limits."""
    from scipy.special import ndtri

    missed = clopper_pearson(counts.with_it - counts.hits, counts.with_it, level)[1]
    false = clopper_pearson(counts.false, counts.without, level)[1]
    if missed + false >= 1:
        return 0.0
    return float(-ndtri(false) - ndtri(missed))


@dataclass(frozen=True)
class Gaussian(ThresholdMethod):
    """The epsilon of the least noisy Gaussian mechanism that agrees with both error rates.

    One pair of error rates fixes the whole trade-off curve, so it shows much more than the other
    bounds. It is false for other mechanisms: hence the caller must vouch for this one.

    Parameters
    ----------
    mechanism_is_gaussian : whether the mechanism is known to be mu-GDP, such as Gaussian noise on
        counts. Compositions of other mechanisms are not.

    References
    ----------
    Nasr et al., Tight auditing of differentially private machine learning, USENIX Security 2023.
    Dong, Roth and Su, Gaussian differential privacy, JRSS B 2022.
    """

    name: ClassVar[str] = "gaussian"
    guarantee: ClassVar[str] = (
        "above the true epsilon in at most 1 - level of all audits of a mechanism that is mu-GDP; "
        "false for any other"
    )
    mechanism_is_gaussian: bool = False

    def unfit(self, delta: float) -> Reading | None:
        return not_gaussian(self.mechanism_is_gaussian, delta)

    def of_counts(self, counts: Counts, *, delta: float = 0.0, level: float = LEVEL) -> float:
        return gaussian_epsilon(least_mu(counts, level=level), delta)
