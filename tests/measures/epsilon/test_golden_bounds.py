"""Bounds and ceilings beside published figures, another package and plain references."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from quintain.measures.epsilon.bayesian import Bayesian, Belief, credible_interval
from quintain.measures.epsilon.gaussian import Gaussian, gaussian_delta, least_mu
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import Counts
from quintain.measures.epsilon.one_run import OneRun, one_run_epsilon, one_run_mu, one_run_p
from quintain.measures.epsilon.thresholds import ClopperPearson, FixedThreshold

PRESET = FixedThreshold()


@pytest.mark.parametrize(
    ("runs", "clopper_pearson", "bayesian", "coins"),
    [
        (10, 0.81, None, 1.82),
        (30, 2.03, None, 2.97),
        (100, 3.28, 4.60, 4.19),
        (500, 4.91, 6.22, 5.81),
        (1000, 5.60, 6.91, 6.50),
        (10_000, 7.90, 9.21, 8.81),
    ],
)
def test_ceilings_for_a_preset_threshold(runs, clopper_pearson, bayesian, coins):
    def ceiling(method):
        return method.ceiling(runs, runs)

    assert ceiling(ClopperPearson(PRESET)) == pytest.approx(clopper_pearson, abs=0.005)
    if bayesian is not None:
        assert ceiling(Bayesian(PRESET)) == pytest.approx(bayesian, abs=0.006)
    assert ceiling(OneRun(shares=(1.0,))) == pytest.approx(coins, abs=0.006)
    if runs <= 1000:
        # With a perfect attack, one exact test of both counts is the test of all coins.
        assert ceiling(JointExact(PRESET)) == pytest.approx(coins, abs=0.006)


@pytest.mark.parametrize(("runs", "ceiling"), [(10, 2.51), (30, 3.67), (100, 4.90)])
def test_ceilings_of_the_one_sided_credible_bound(runs, ceiling):
    # The lower end at level 90 % leaves 5 % below it.
    made = Bayesian(PRESET).ceiling(runs, runs, level=0.9)
    assert made == pytest.approx(ceiling, abs=0.006)


@pytest.mark.parametrize(
    ("counts", "interval"),
    [
        (Counts(300, 1000, 10, 1000), (2.822, 4.069)),
        (Counts(450, 500, 20, 500), (2.706, 3.566)),
    ],
)
def test_the_credible_interval_of_another_package(counts, interval):
    # privacy-estimates 0.1.0; it works to a tolerance of 0.01.
    assert credible_interval(counts) == pytest.approx(interval, abs=0.0025)


@pytest.mark.parametrize(
    ("counts", "delta"),
    [
        (Counts(450, 500, 20, 500), 0.0),
        (Counts(10, 10, 0, 2000), 0.01),
        (Counts(50, 100, 50, 100), 0.0),
        (Counts(900, 1000, 5, 10), 0.05),
        (Counts(2, 100, 60, 100), 0.0),
    ],
)
def test_beliefs_are_those_of_drawn_error_rates(counts, delta):
    rng, draws = np.random.default_rng(5), 400_000
    false = rng.beta(counts.false + 0.5, counts.without - counts.false + 0.5, draws)
    missed = rng.beta(counts.with_it - counts.hits + 0.5, counts.hits + 0.5, draws)
    for epsilon in (0.2, 1.0, 2.5, 5.0):
        factor = math.exp(epsilon)
        first = (1 - missed <= factor * false + delta) & (1 - false <= factor * missed + delta)
        second = (missed <= factor * (1 - false) + delta) & (false <= factor * (1 - missed) + delta)
        both = Belief(counts, delta).below(epsilon)
        assert both == pytest.approx((first & second).mean(), abs=4e-3)
        folded = Belief(counts, delta, folded=True).below(epsilon)
        assert folded == pytest.approx(first.mean(), abs=4e-3)


def plain_one_run_p(epsilon, coins, guesses, right, delta):
    """The formula of Steinke et al., term by term."""
    success = 1 / (1 + math.exp(-epsilon))
    usual = binom.sf(right - 1, guesses, success)
    sums = np.cumsum(binom.pmf(right - np.arange(1, right + 1), guesses, success))
    return min(1.0, usual + 2 * coins * delta * (sums / np.arange(1, right + 1)).max())


@pytest.mark.parametrize(
    ("epsilon", "coins", "guesses", "right", "delta"),
    [
        (1.0, 100, 100, 80, 1e-3),
        (1.0, 100, 60, 50, 1e-3),
        (0.1, 300, 100, 40, 1e-4),
        (3.0, 300, 300, 300, 1e-5),
        (0.0, 50, 50, 50, 1e-2),
        (2.0, 5000, 4000, 3900, 1e-6),
    ],
)
def test_one_run_beside_the_formula(epsilon, coins, guesses, right, delta):
    case = (epsilon, coins, guesses, right, delta)
    assert one_run_p(*case) == pytest.approx(plain_one_run_p(*case), rel=1e-9)


def test_one_run_stays_finite_for_a_million_coins():
    million = 10**6
    assert one_run_epsilon(million, million, 0) == 0
    half = one_run_epsilon(million, million, 800_000)
    assert half == pytest.approx(math.log(4), abs=0.01)
    lower = one_run_epsilon(million, million, 800_000, delta=1e-7)
    assert 0 < lower <= half
    assert one_run_epsilon(million, million, million, delta=1e-8) == pytest.approx(12.69, abs=0.01)


def test_the_gaussian_bound_is_far_above_the_others_on_the_same_counts():
    # 300 of 1,000 hits beside 10 of 1,000 false alarms.
    counts = Counts(300, 1000, 10, 1000)
    assert Gaussian().of_counts(counts, delta=1e-5) == pytest.approx(6.95, abs=0.01)
    assert ClopperPearson().of_counts(counts) == pytest.approx(2.70, abs=0.005)
    assert math.log(0.3 / 0.01) == pytest.approx(3.40, abs=0.005)


def test_gaussian_delta_by_hand():
    # At epsilon 0, delta is the total variation distance of two unit Gaussians one apart.
    assert gaussian_delta(0.0, 1.0) == pytest.approx(math.erf(0.5 / math.sqrt(2)))
    assert gaussian_delta(800.0, 1.0) == 0.0
    assert least_mu(Counts(50, 100, 50, 100)) == 0.0


def plain_too_many_right(mu, coins, guesses, right, allowed):
    """The recursion of Mahloujifar et al. for two answers, with every value kept."""
    bad, good = np.zeros(right + 1), np.zeros(right + 1)
    bad[right] = allowed * (guesses - right) / coins
    good[right] = allowed * right / coins
    for i in range(right - 1, -1, -1):
        bad[i] = max(bad[i + 1], norm.cdf(norm.ppf(good[i + 1]) - mu))
        good[i] = good[i + 1] + i / (guesses - i) * (bad[i] - bad[i + 1])
        if good[i] >= 1:
            return True
    return good[0] + bad[0] > guesses / coins


@pytest.mark.parametrize(("coins", "guesses", "right"), [(60, 60, 50), (80, 30, 29), (40, 40, 40)])
def test_the_gaussian_bound_of_one_run_beside_the_recursion(coins, guesses, right):
    mu = one_run_mu(coins, guesses, right)
    assert mu > 0.2
    assert plain_too_many_right(mu, coins, guesses, right, 0.05)
    assert not plain_too_many_right(mu + 2e-5, coins, guesses, right, 0.05)


def plain_joint_bound(counts, delta, level, epsilons):
    """All outcomes that the method calls as telling, their probabilities on a fine edge."""
    from quintain.measures.epsilon.method import cautious_epsilon, error_tail, upper_rates

    n, m, tail = counts.with_it, counts.without, error_tail(level)
    missed = upper_rates(n - np.arange(n + 1), n, tail)
    false = upper_rates(np.arange(m + 1), m, tail)
    shown = cautious_epsilon(missed[:, None], false[None], delta)
    telling = shown >= shown[counts.hits, counts.false] - 1e-9
    for epsilon in epsilons:
        q = np.linspace(0, 1, 3001)
        p = np.minimum(math.exp(epsilon) * q + delta, 1 - (1 - q - delta) / math.exp(epsilon))
        p = np.clip(p, 0, 1)
        hits = binom.pmf(np.arange(n + 1)[:, None], n, p)
        alarms = binom.pmf(np.arange(m + 1)[:, None], m, q)
        if np.einsum("hx,fx,hf->x", hits, alarms, telling).max() > 1 - level:
            return epsilon
    raise AssertionError


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize(
    "counts", [Counts(9, 10, 1, 12), Counts(20, 20, 3, 8), Counts(7, 15, 0, 25)]
)
def test_the_joint_bound_beside_all_outcomes(counts, delta):
    bound = JointExact().of_counts(counts, delta=delta)
    epsilons = bound + np.array([-0.01, 0.01])
    assert plain_joint_bound(counts, delta, 0.95, epsilons) == epsilons[1]
