"""A lower bound on epsilon: never above the truth more often than it says, and not idle."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from quintain.measures.epsilon.thresholds import audited_epsilon, epsilon_bound


def bound(*counts, **options):
    return epsilon_bound(*counts, **options).value


def audited(*scores, **options):
    return audited_epsilon(*scores, **options).value


def test_the_bound_is_a_reading_with_one_side():
    reading = epsilon_bound(100, 100, 0, 100, level=0.99)
    assert (reading.kind, reading.level, reading.n, reading.better) == (
        "lower-bound",
        0.99,
        200,
        "lower",
    )
    assert (reading.low, reading.high) == (reading.value, math.inf)
    assert str(reading) == f"at least {reading.value:.4g}"


def test_the_audited_bound_says_its_level_and_counts_the_runs_it_rests_on():
    reading = audited_epsilon(np.ones(40), np.zeros(60), level=0.9)
    assert (reading.kind, reading.level, reading.n) == ("lower-bound", 0.9, 20 + 30)


def test_the_bound_by_hand():
    # No errors in 100 runs of either kind: the rates of errors are below 1 - 0.025 ** (1 / 100).
    rate = 1 - 0.025 ** (1 / 100)
    assert rate == pytest.approx(0.0362, abs=1e-4)
    assert bound(100, 100, 0, 100) == pytest.approx(math.log((1 - rate) / rate))


def test_coin_tosses_bound_nothing():
    assert bound(50, 100, 50, 100) == 0
    assert bound(0, 10, 0, 10) == 0
    assert bound(1, 1, 0, 1) == 0


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_calling_everything_the_other_way_gives_the_bound_of_the_other_direction(n, m, data):
    # Rates of errors are turned around together; the larger of both directions is the same.
    hits, false = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    forth = bound(hits, n, false, m)
    assert forth == pytest.approx(bound(m - false, m, n - hits, n))
    assert forth >= 0


@settings(deadline=None)
@given(st.integers(1, 60), st.data())
def test_one_hit_more_never_lowers_the_bound(n, data):
    hits, false = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n))
    assert bound(hits + 1, n, false, n) >= bound(hits, n, false, n)


def test_a_higher_level_and_a_larger_delta_lower_the_bound():
    bounds = [bound(90, 100, 5, 100, delta=d, level=0.95) for d in (0, 0.1, 0.5, 0.9)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[1] > 0 == bounds[3]
    assert bound(90, 100, 5, 100, level=0.999) < bounds[0]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("n", [5, 30])
def test_the_bound_is_above_the_truth_at_most_one_time_in_twenty(epsilon, n):
    # Randomized response: the truth is said with probability e**epsilon / (1 + e**epsilon). Every
    # outcome with its probability.
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    hits = binom.pmf(np.arange(n + 1), n, right)
    false = binom.pmf(np.arange(n + 1), n, 1 - right)
    wrong = sum(
        hits[h] * false[f]
        for h in range(n + 1)
        for f in range(n + 1)
        if bound(h, n, f, n) > epsilon + 1e-12
    )
    assert wrong <= 0.05


def test_scores_of_a_private_mechanism_are_not_bounded_above_its_epsilon():
    # Laplace noise of scale 1 on a count that differs by 1: epsilon is 1.
    above = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        above += audited(1 + rng.laplace(size=400), rng.laplace(size=400)) > 1
    assert above <= 6  # 3 are allowed on average


def test_scores_that_tell_everything_give_a_large_bound():
    rng = np.random.default_rng(1)
    with_it, without = 10 + rng.random(400), rng.random(400)
    # Two hundred runs of each kind are left for the bound.
    assert audited(with_it, without) == pytest.approx(bound(200, 200, 0, 200))


def test_the_threshold_comes_from_other_runs_than_the_bound():
    # Every other run tells everything, the rest nothing: the bound is that of the rest.
    telling = np.tile([1.0, 0.0], 100)
    assert audited(telling, np.zeros(200)) == 0
    assert audited(np.ones(200), np.zeros(200)) > 3


def test_scores_without_any_signal_bound_nothing():
    bounds = [audited(*np.random.default_rng(seed).random((2, 40))) for seed in range(100)]
    assert np.mean(np.array(bounds) > 0) <= 0.05
