"""Which counts speak for a larger epsilon: an order of all outcomes that is quick to compute."""

from __future__ import annotations

import math

import numpy as np

from quintain.data.arrays import Floats, Ints


def error_tail(level: float) -> float:
    """The tail of one error rate, such that both at once are about as rare as ``1 - level`` says.

    Two independent deviations add like the sides of a right angle, so each needs only the normal
    quantile divided by the square root of two.

    >>> round(error_tail(0.95), 4)
    0.1224
    """
    from scipy.special import ndtr, ndtri

    return float(ndtr(-ndtri(level) / math.sqrt(2)))


def upper_rates(errors: Ints, n: int, tail: float) -> Floats:
    """For each number of errors in n runs, the rate that is exceeded with probability ``tail``."""
    from scipy.special import betaincinv

    rates = np.ones(len(errors))
    some = errors < n
    rates[some] = betaincinv(errors[some] + 1.0, n - errors[some], 1 - tail)
    return rates


def cautious_epsilon(missed: Floats, false: Floats, delta: float) -> Floats:
    """The epsilon that both rates of errors imply, in the direction that shows more."""
    with np.errstate(divide="ignore"):
        first = np.log(np.maximum(1 - missed - delta, 0.0)) - np.log(false)
        second = np.log(np.maximum(1 - false - delta, 0.0)) - np.log(missed)
    larger: Floats = np.maximum(first, second)
    return np.maximum(0.0, larger)
