"""How much privacy a Gaussian or exponential mechanism spends: zero-concentrated accounting.

Costs are added up in rho, the parameter of zero-concentrated differential privacy (zCDP), where
they simply sum. Only the total is converted to epsilon and delta, by the tight formula:

$$ delta = min_{a > 1} exp((a - 1)(a rho - epsilon)) / (a - 1) (1 - 1/a)^a $$

The logarithm of the right side has the derivative (2a - 1) rho - epsilon + log(1 - 1/a), which
grows with a, so halving an interval finds the minimum.

References
----------
Canonne, Kamath and Steinke (2020), The Discrete Gaussian for Differential Privacy, corollary 13.
Cesar and Rogers (2021), Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition
for Data Analytics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

_HALVINGS = 200
"""Enough halvings to shrink any interval of floats to two neighbours."""
_SMALLEST = -700.0
"""The logarithm of the smallest rho considered; exp of a much smaller number is zero."""


def delta_for(rho: float, epsilon: float) -> float:
    """Give the smallest delta such that rho-zCDP implies (epsilon, delta)-DP.

    >>> f"{delta_for(0.015, 1.0):.0e}"
    '1e-09'
    """
    _check(rho=rho, epsilon=epsilon)

    def falling(log_excess: float) -> bool:
        order = 1 + math.exp(log_excess)
        return (2 * order - 1) * rho - epsilon + log_excess - math.log(order) < 0

    # Where 2a - 1 = (epsilon + 1) / rho + 3 the derivative is positive, for log(1 - 1/a) > -1.
    high = math.log((epsilon + 1) / (2 * rho) + 1)
    low = min(high, epsilon - rho) - rho - 2
    while not falling(low):
        low -= 10
    log_excess = _last(falling, low, high)
    order, excess = 1 + math.exp(log_excess), math.exp(log_excess)
    log_delta = excess * (order * rho - epsilon) - log_excess
    log_delta += order * (log_excess - math.log(order))
    return math.exp(min(0.0, log_delta))


@lru_cache(maxsize=128)
def rho_for(epsilon: float, delta: float) -> float:
    """Give the largest rho such that rho-zCDP implies (epsilon, delta)-DP.

    >>> [round(rho_for(epsilon, 1e-9), 4) for epsilon in (1.0, 10.0)]
    [0.015, 1.0908]
    """
    _check(epsilon=epsilon)
    _check_delta(delta)
    low, high = _SMALLEST, math.log(epsilon + 1) + 1
    while delta_for(math.exp(high), epsilon) <= delta:
        high += 1
    return math.exp(_last(lambda x: delta_for(math.exp(x), epsilon) <= delta, low, high))


def epsilon_for(rho: float, delta: float) -> float:
    """Give the epsilon for which :func:`rho_for` gives rho, and never more than rho.

    It is 0 if rho-zCDP implies delta without any epsilon.

    >>> round(epsilon_for(0.015, 1e-9), 3), rho_for(epsilon_for(0.015, 1e-9), 1e-9) <= 0.015
    (1.001, True)
    """
    _check(rho=rho)
    _check_delta(delta)
    high = 1.0
    while delta_for(rho, high) > delta:
        high *= 2
    epsilon, step = _last(lambda epsilon: delta_for(rho, epsilon) > delta, 0.0, high), 1e-13
    while epsilon > 0 and rho_for(epsilon, delta) > rho:  # the last digits of two searches differ
        epsilon, step = epsilon * (1 - step), 2 * step
    return epsilon


def gaussian_sigma(rho: float, sensitivity: float = 1.0) -> float:
    """Give the standard deviation of Gaussian noise that costs rho.

    >>> gaussian_sigma(0.5)
    1.0

    Parameters
    ----------
    rho : the privacy to spend.
    sensitivity : how far one record can move the answer, in Euclidean distance. One record moves
        the counts of k tables by the square root of k.
    """
    _check(rho=rho, sensitivity=sensitivity)
    return sensitivity / math.sqrt(2 * rho)


def gaussian_rho(sigma: float) -> float:
    """Give what counts with Gaussian noise of this standard deviation cost.

    >>> gaussian_rho(1.0)
    0.5
    """
    _check(sigma=sigma)
    return 1 / (2 * sigma**2)


def exponential_epsilon(rho: float) -> float:
    """Give the epsilon of one private choice (exponential mechanism) that costs rho.

    The exponential mechanism has bounded range, so it costs epsilon**2 / 8 and not epsilon**2 / 2
    (Cesar and Rogers 2021).

    >>> exponential_epsilon(0.5)
    2.0
    """
    _check(rho=rho)
    return math.sqrt(8 * rho)


def exponential_rho(epsilon: float) -> float:
    """Give what one private choice with this epsilon costs.

    >>> exponential_rho(2.0)
    0.5
    """
    _check(epsilon=epsilon)
    return epsilon**2 / 8


def _last(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Find the last point between low and high where a condition holds; it stops holding once."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def _check(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and (value > 0 or (name == "epsilon" and value == 0))):
            raise ValueError(f"{name} must be a positive number, not {value}")


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie between 0 and 1, not {delta}")
