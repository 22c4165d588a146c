"""What many steps with Gaussian noise cost if each uses a secret random part of the records.

Each record takes part in a step with probability q (Poisson sampling), and the sum over those that
take part gets Gaussian noise of sigma times what one record can change. For whole orders a > 1 the
Rényi divergence of one step is

$$ 1/(a - 1) log sum_{k=0}^a C(a, k) (1 - q)^{a-k} q^k exp(k (k - 1) / (2 sigma^2)). $$

The sum bounds both directions, a record more and a record less (Mironov, Talwar and Zhang 2019,
section 3; it needs only that the noise is symmetric). Its terms are bounds on moments that hold for
discrete Gaussian noise and whole changes as well (Canonne, Kamath and Steinke 2020, proposition 5).
Divergences of steps add up, and the best order gives epsilon.

References
----------
Abadi and others (2016), Deep learning with differential privacy.
Mironov, Talwar and Zhang (2019), Rényi differential privacy of the sampled Gaussian mechanism.
Canonne, Kamath and Steinke (2020), The discrete Gaussian for differential privacy.
"""

from __future__ import annotations

import math
from functools import lru_cache

ORDERS = (*range(2, 65), 72, 80, 96, 128, 192, 256, 512)
_HALVINGS = 60
_LEAST_SIGMA, _MOST_SIGMA = 0.2, 1e4


@lru_cache(maxsize=1 << 14)
def step_divergence(rate: float, sigma: float, order: int) -> float:
    """The Rényi divergence of one step, for a whole order above 1.

    Without sampling it is that of Gaussian noise, order / (2 sigma**2):

    >>> step_divergence(1.0, 2.0, 8)
    1.0
    """
    if rate == 1.0:
        return order / (2 * sigma**2)
    terms = [
        math.lgamma(order + 1)
        - math.lgamma(k + 1)
        - math.lgamma(order - k + 1)
        + k * math.log(rate)
        + (order - k) * math.log1p(-rate)
        + k * (k - 1) / (2 * sigma**2)
        for k in range(order + 1)
    ]
    top = max(terms)
    return (top + math.log(math.fsum(math.exp(term - top) for term in terms))) / (order - 1)


def epsilon_of_steps(rate: float, sigma: float, steps: int, delta: float) -> float:
    """The epsilon that so many steps cost, with this delta.

    Abadi and others (2016) state 1.26 for 10,000 steps with q = 0.01, sigma = 4 and delta 1e-5;
    the later conversion to epsilon gives less:

    >>> round(epsilon_of_steps(0.01, 4.0, 10_000, 1e-5), 2)
    1.04

    Parameters
    ----------
    rate : the probability with which a record takes part in a step.
    sigma : the standard deviation of the noise, as a multiple of what one record can change.
    """
    return max(
        0.0, min(_epsilon(steps * step_divergence(rate, sigma, a), a, delta) for a in ORDERS)
    )


def _epsilon(divergence: float, order: int, delta: float) -> float:
    return divergence + math.log1p(-1 / order) - math.log(delta * order) / (order - 1)


def sigma_of_steps(rate: float, epsilon: float, steps: int, delta: float) -> float:
    """The smallest noise with which so many steps cost no more than epsilon.

    >>> sigma = sigma_of_steps(0.1, 1.0, 200, 1e-5)
    >>> [round(epsilon_of_steps(0.1, s, 200, 1e-5), 2) for s in (sigma, sigma / 2)]
    [1.0, 2.24]
    """
    low, high = _LEAST_SIGMA, _LEAST_SIGMA
    while epsilon_of_steps(rate, high, steps, delta) > epsilon:
        low, high = high, 2 * high
        if high > _MOST_SIGMA:
            raise ValueError(f"no noise makes {steps} steps cost epsilon {epsilon:g}")
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if epsilon_of_steps(rate, middle, steps, delta) > epsilon:
            low = middle
        else:
            high = middle
        if high - low < 1e-6 * high:
            break
    return high
