"""Privacy accounting: the conversion between rho and epsilon, compared with a plain grid."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import (
    delta_for,
    epsilon_for,
    exponential_epsilon,
    exponential_rho,
    gaussian_rho,
    gaussian_sigma,
    rho_for,
)
from quintain.errors import NoiseError
from quintain.randomness.noise import Noise

EPSILONS = st.floats(1e-3, 1e4)
DELTAS = st.floats(1e-15, 0.5)


def delta_on_a_grid(rho, epsilon):
    """Compute the formula at many orders, and take the smallest."""
    excess = np.geomspace(1e-6, 1e9, 400_001)
    order = 1 + excess
    log_delta = excess * (order * rho - epsilon) - np.log(excess) + order * np.log1p(-1 / order)
    return math.exp(min(0.0, log_delta.min()))


@pytest.mark.parametrize(
    ("epsilon", "rho"), [(1, 0.0150), (10, 1.09), (1000, 753)], ids=["1", "10", "1000"]
)
def test_the_rho_of_the_historic_contest(epsilon, rho):
    # SNAKE ran MST with delta 1e-9; the figures are rounded to three digits.
    assert rho_for(epsilon, 1e-9) == pytest.approx(rho, rel=5e-3)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3, 10, 100, 1000])
@pytest.mark.parametrize("rho", [1e-5, 0.01, 0.5, 5, 500])
def test_delta_is_the_minimum_over_orders(rho, epsilon):
    plain = delta_on_a_grid(rho, epsilon)
    if plain > 1e-300:
        assert delta_for(rho, epsilon) == pytest.approx(plain, rel=1e-6)


@settings(deadline=None)
@given(EPSILONS, DELTAS)
def test_rho_spends_the_whole_delta_and_not_more(epsilon, delta):
    rho = rho_for(epsilon, delta)
    assert delta_for(rho, epsilon) <= delta
    assert delta_for(rho * 1.001, epsilon) > delta


@settings(deadline=None)
@given(EPSILONS, DELTAS)
def test_the_tight_conversion_beats_the_simple_one(epsilon, delta):
    # rho-zCDP implies epsilon = rho + 2 sqrt(rho log(1/delta)) (Bun and Steinke 2016).
    rho = rho_for(epsilon, delta)
    assert epsilon <= rho + 2 * math.sqrt(rho * math.log(1 / delta))


def test_a_tiny_rho_is_private_at_epsilon_zero():
    assert delta_for(1e-9, 0.0) <= 0.1


def test_the_gaussian_mechanism_costs_its_rho():
    # Sensitivity 2 and standard deviation 4 cost 2**2 / (2 4**2) = 1/8.
    assert gaussian_sigma(1 / 8, 2.0) == pytest.approx(4.0)


def test_the_gaussian_mechanism_is_as_private_as_it_says():
    # The exact delta of Gaussian noise (Balle and Wang 2018) is below the one claimed.
    from scipy.stats import norm

    for epsilon in (0.5, 1.0, 5.0):
        sigma = gaussian_sigma(rho_for(epsilon, 1e-6))
        exact = norm.cdf(0.5 / sigma - epsilon * sigma)
        exact -= math.exp(epsilon) * norm.cdf(-0.5 / sigma - epsilon * sigma)
        assert 1e-8 < exact <= 1e-6


def test_the_exponential_mechanism_costs_an_eighth_of_epsilon_squared():
    assert exponential_epsilon(2.0**2 / 8) == pytest.approx(2.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.inf, math.nan])
def test_invalid_numbers_are_refused(bad):
    if bad != 0:  # An epsilon of zero is valid: then delta alone describes the privacy.
        with pytest.raises(ValueError, match="epsilon must be a positive number"):
            rho_for(bad, 1e-9)
    with pytest.raises(ValueError, match="rho must be a positive number"):
        delta_for(bad, 1.0)
    with pytest.raises(ValueError, match="delta must lie between 0 and 1"):
        rho_for(1.0, bad)
    with pytest.raises(ValueError, match="rho must be a positive number"):
        gaussian_sigma(bad)
    with pytest.raises(ValueError, match="rho must be a positive number"):
        exponential_epsilon(bad)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.9999), (0.1, 0.999999), (3.0, 0.99999)])
def test_a_delta_near_one_allows_a_rho_beyond_the_first_guess(epsilon, delta):
    rho = rho_for(epsilon, delta)
    assert rho > math.e * (epsilon + 1)
    assert delta_for(rho, epsilon) <= delta < delta_for(rho * 1.000001, epsilon)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_a_delta_that_promises_nothing_is_refused(delta):
    for convert in (rho_for, epsilon_for):
        with pytest.raises(ValueError, match="delta must lie between 0 and 1"):
            convert(1.0, delta)


def test_an_epsilon_may_be_zero_and_no_other_number_may():
    assert rho_for(0.0, 1e-6) > 0
    assert exponential_rho(0.0) == 0.0
    assert epsilon_for(1e-9, 0.1) == 0.0
    for refused in (exponential_epsilon, gaussian_sigma, gaussian_rho):
        for number in (0.0, -1.0, math.inf, math.nan):
            with pytest.raises(ValueError, match="must be a positive number"):
                refused(number)
    with pytest.raises(ValueError, match="sensitivity"):
        gaussian_sigma(1.0, 0.0)
    assert gaussian_sigma(0.5, 3.0) == 3.0
    assert gaussian_rho(2.0) == 1 / 8


def test_a_budget_is_spent_to_the_end_and_not_beyond():
    budget, noise = Budget(1.0), Noise.for_test(1)
    budget.choose([0.0, 1.0], 2.0, 1.0, noise)
    assert (budget.spent, budget.left) == (0.5, 0.5)
    budget.count(np.array([3, 5]), 2.0, noise, sensitivity=2.0)  # as sigma 1 with sensitivity 1
    assert (budget.spent, budget.left) == (1.0, 0.0)
    with pytest.raises(NoiseError, match="of which 0 is left; no answer was given"):
        budget.count(np.array([3]), 100.0, noise)
    assert budget.spent == 1.0
    assert Budget(1.0, 1.5).left == 0.0
