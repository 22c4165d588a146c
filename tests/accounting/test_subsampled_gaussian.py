"""Steps with a random part of the records: against published figures, a library and integrals."""

import math

import numpy as np
import pytest

from quintain.accounting.subsampled_gaussian import (
    epsilon_of_steps,
    sigma_of_steps,
    step_divergence,
)


def test_the_figure_of_the_moments_accountant():
    """Abadi and others (2016), section 3.2: 1.26 with their conversion; ours gives less."""
    steps, delta = 10_000, 1e-5
    theirs = min(
        steps * step_divergence(0.01, 4.0, order) + math.log(1 / delta) / (order - 1)
        for order in range(2, 65)
    )
    assert theirs == pytest.approx(1.26, abs=0.005)
    assert epsilon_of_steps(0.01, 4.0, steps, delta) < theirs


CASES = [(0.1, 1.5, 2), (0.3, 1.0, 5), (0.02, 3.0, 9)]


@pytest.mark.parametrize(("rate", "sigma", "order"), CASES)
def test_a_divergence_is_that_of_the_two_densities(rate, sigma, order):
    """A slow reference: the integral, in both directions; the formula is the larger of them."""
    x = np.linspace(-60, 60, 100_001)
    base = -(x**2) / (2 * sigma**2) - math.log(sigma * math.sqrt(2 * math.pi))
    mixed = base + np.log1p(rate * np.expm1((2 * x - 1) / (2 * sigma**2)))
    both = [
        math.log(np.trapezoid(np.exp(order * first - (order - 1) * second), x)) / (order - 1)
        for first, second in ((mixed, base), (base, mixed))
    ]
    assert step_divergence(rate, sigma, order) == pytest.approx(both[0], rel=1e-6)
    assert both[1] <= both[0] + 1e-9


@pytest.mark.parametrize(("rate", "sigma", "steps"), [(0.1, 2.0, 200), (0.01, 1.1, 5000)])
def test_the_same_as_a_library(rate, sigma, steps):
    library = pytest.importorskip("dp_accounting")
    accountant = library.rdp.RdpAccountant(orders=list(range(2, 65)))
    event = library.PoissonSampledDpEvent(rate, library.GaussianDpEvent(sigma))
    accountant.compose(event, steps)
    expected = accountant.get_epsilon(1e-5)
    assert epsilon_of_steps(rate, sigma, steps, 1e-5) == pytest.approx(expected, rel=1e-3)


def test_more_noise_costs_less_and_the_search_ends_below():
    for epsilon in (0.5, 1.0, 8.0):
        sigma = sigma_of_steps(0.1, epsilon, 150, 1e-5)
        assert epsilon_of_steps(0.1, sigma, 150, 1e-5) <= epsilon
        assert epsilon_of_steps(0.1, 0.999 * sigma, 150, 1e-5) > epsilon
    with pytest.raises(ValueError, match="no noise makes"):
        sigma_of_steps(1.0, 1e-6, 1000, 1e-5)


def test_noise_has_a_least_and_a_most():
    assert sigma_of_steps(0.01, 1e6, 1, 1e-5) == 0.2
    with pytest.raises(ValueError, match="no noise makes 10 steps cost epsilon"):
        sigma_of_steps(1.0, 1e-9, 10, 1e-5)
    sigma = sigma_of_steps(1.0, 0.5, 3, 1e-5)
    assert (
        epsilon_of_steps(1.0, sigma, 3, 1e-5)
        <= 0.5
        < epsilon_of_steps(1.0, sigma * (1 - 2e-6), 3, 1e-5)
    )
    assert epsilon_of_steps(0.001, 1e4, 1, 0.9) == 0.0
