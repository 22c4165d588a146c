"""What holds of every bound: more hits show more, levels and deltas cost, roles can be swapped."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.measures.epsilon.bayesian import Bayesian
from quintain.measures.epsilon.gaussian import Gaussian
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.method import Counts
from quintain.measures.epsilon.one_run import OneRun, one_run_epsilon
from quintain.measures.epsilon.thresholds import ClopperPearson, RankedThresholds

FROM_COUNTS = [ClopperPearson(), JointExact(), Bayesian(), Gaussian()]
each_method = pytest.mark.parametrize("method", FROM_COUNTS, ids=lambda method: method.name)
some = settings(deadline=None, max_examples=15)
NEARLY = 1e-6


@st.composite
def counts(draw, most=30):
    n, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    return Counts(draw(st.integers(0, n)), n, draw(st.integers(0, m)), m)


@each_method
@some
@given(given_counts=counts(), delta=st.sampled_from([1e-6, 0.01, 0.2]))
def test_one_hit_more_or_one_false_alarm_less_never_lowers_the_bound(method, given_counts, delta):
    c, bound = given_counts, method.of_counts(given_counts, delta=delta)
    if c.hits < c.with_it:
        more = Counts(c.hits + 1, c.with_it, c.false, c.without)
        assert method.of_counts(more, delta=delta) >= bound - NEARLY
    if c.false > 0:
        fewer = Counts(c.hits, c.with_it, c.false - 1, c.without)
        assert method.of_counts(fewer, delta=delta) >= bound - NEARLY


@each_method
@some
@given(c=counts(), delta=st.sampled_from([1e-6, 0.01, 0.2]))
def test_an_attack_that_finds_the_absent_has_the_same_bound(method, c, delta):
    # Runs without the person take the role of those with: "no" becomes the answer that counts.
    swapped = Counts(c.without - c.false, c.without, c.with_it - c.hits, c.with_it)
    forth, back = method.of_counts(c, delta=delta), method.of_counts(swapped, delta=delta)
    assert forth == pytest.approx(back, abs=1e-4)


@each_method
@some
@given(c=counts(), delta=st.sampled_from([1e-6, 0.01, 0.2]))
def test_no_bound_is_above_that_of_a_perfect_attack(method, c, delta):
    perfect = method.of_counts(Counts.perfect(c.with_it, c.without), delta=delta)
    assert 0 <= method.of_counts(c, delta=delta) <= perfect + NEARLY


@each_method
@some
@given(c=counts(), levels=st.tuples(st.floats(0.6, 0.995), st.floats(0.6, 0.995)))
def test_a_higher_level_never_raises_the_bound(method, c, levels):
    # The order of outcomes in the joint bound depends on the level, so it may move a little.
    slack = 0.05 if method.name == "joint-exact" else NEARLY
    low, high = sorted(levels)
    assert method.of_counts(c, delta=0.01, level=high) <= (
        method.of_counts(c, delta=0.01, level=low) + slack
    )


@each_method
@some
@given(c=counts(), delta=st.sampled_from([0.01, 0.2, 0.5]))
def test_a_larger_delta_never_raises_the_bound(method, c, delta):
    slack = 0.05 if method.name == "joint-exact" else NEARLY
    assert method.of_counts(c, delta=delta) <= method.of_counts(c, delta=1e-9) + slack


@pytest.mark.parametrize("method", FROM_COUNTS[:3], ids=lambda method: method.name)
@some
@given(c=counts())
def test_a_vanishing_delta_changes_nothing(method, c):
    assert method.of_counts(c, delta=1e-12) == pytest.approx(method.of_counts(c), abs=1e-4)


@some
@given(c=counts())
def test_the_joint_bound_is_rarely_and_hardly_below_two_intervals(c):
    assert JointExact().of_counts(c) >= ClopperPearson().of_counts(c) - 0.25


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 500), st.data())
def test_right_guesses_raise_and_coins_without_a_guess_lower_the_bound_of_one_run(guesses, data):
    right = data.draw(st.integers(0, guesses))
    delta = data.draw(st.sampled_from([0.0, 1e-5, 1e-3]))
    bound = one_run_epsilon(guesses, guesses, right, delta=delta)
    assert bound <= one_run_epsilon(guesses, guesses, min(right + 1, guesses), delta=delta) + NEARLY
    assert bound >= one_run_epsilon(2 * guesses, guesses, right, delta=delta) - NEARLY
    assert bound <= one_run_epsilon(guesses, guesses, right, delta=0.0) + NEARLY
    assert bound >= one_run_epsilon(guesses, guesses, right, delta=delta, level=0.99) - NEARLY


@pytest.mark.parametrize("method", [OneRun(), RankedThresholds()], ids=lambda method: method.name)
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), n=st.integers(3, 60), shift=st.floats(0, 5))
def test_no_scores_show_more_than_the_ceiling(method, seed, n, shift):
    rng = np.random.default_rng(seed)
    with_it, without = rng.normal(shift, 1, n), rng.normal(0, 1, n + 2)
    bound = method.bound(with_it, without, rng=rng).value
    assert 0 <= bound <= method.ceiling(n, n + 2) + NEARLY
    # Only the order of scores matters.
    again = method.bound(np.exp(with_it), np.exp(without), rng=np.random.default_rng(0)).value
    assert again == pytest.approx(bound)
