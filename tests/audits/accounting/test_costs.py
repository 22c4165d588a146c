"""Costs: known mechanisms cost what is known of them."""

import math

import numpy as np
import pytest

from quintain.accounting.subsampled_gaussian import epsilon_of_steps
from quintain.accounting.zcdp import epsilon_for
from quintain.audits.accounting.costs import Cost, cost_of
from quintain.audits.accounting.enumeration import exact_epsilon
from quintain.audits.accounting.followed import FollowedNoise, Tape


def replayed(ask, first, second, **facts):
    tape = Tape(None, **facts)
    ask(np.asarray(first), FollowedNoise(tape))
    again = tape.again()
    ask(np.asarray(second), FollowedNoise(again))
    return tape, again


def test_gaussian_noise_costs_in_zcdp():
    tapes = replayed(lambda c, n: c + n.gaussian(4.0, len(c)), [3, 5], [3, 7])
    cost = cost_of(*tapes, sampled=False)
    assert cost.rho == pytest.approx(4 / 32)
    assert cost.epsilon(1e-6) == epsilon_for(cost.rho, 1e-6)
    assert cost.epsilon(0.0) == math.inf


def test_laplace_noise_costs_in_epsilon():
    tapes = replayed(lambda c, n: c + n.laplace(4.0, len(c)), [3, 5], [2, 7])
    assert cost_of(*tapes, sampled=False).epsilon(0.0) == pytest.approx(3 / 4)


def test_many_answers_with_laplace_noise_cost_less_with_a_delta():
    cost = Cost(laplace=[0.05] * 400)
    assert cost.epsilon(0.0) == pytest.approx(20)
    assert 2 < cost.epsilon(1e-5) < 6


def test_a_choice_costs_what_its_probabilities_say():
    tapes = replayed(lambda s, n: n.choose(s, 2.0, 1.0), [5.0, 1.0, 0.0], [5.0, 2.0, 0.0])
    cost = cost_of(*tapes, sampled=False)
    before, after = (np.exp(s) / np.exp(s).sum() for s in ([5.0, 1, 0], [5.0, 2, 0]))
    assert cost.choice_epsilon == pytest.approx(np.abs(np.log(before / after)).max())
    assert cost.choice_rho == pytest.approx(1 / 8)


def test_scores_that_all_move_cost_nothing():
    tapes = replayed(lambda s, n: n.choose(s, 2.0, 1.0), [5.0, 1.0], [6.0, 2.0])
    assert cost_of(*tapes, sampled=False).epsilon(0.0) == pytest.approx(0.0, abs=1e-12)


def test_an_option_of_one_table_alone_is_no_private_choice():
    tapes = replayed(lambda s, n: n.choose(s, 2.0, 1.0), [5.0, 1.0], [5.0, -np.inf])
    cost = cost_of(*tapes, sampled=False)
    assert "an option can be chosen on one table only" in cost.faults[0]
    assert cost.epsilon(1e-6) == math.inf


def test_whole_noise_does_not_hide_a_fraction():
    tapes = replayed(lambda c, n: c + n.laplace(4.0, len(c)), [3.0, 5.0], [3.0, 5.4])
    cost = cost_of(*tapes, sampled=False)
    assert "true values differ by 0.4" in cost.faults[0]


def test_steps_with_random_records_cost_less():
    def train(counts, noise):
        for _ in range(30):
            some = counts[noise.bernoulli(0.1, len(counts))]
            np.array([some.sum()]) + noise.gaussian(2.0, 1)

    tapes = replayed(train, [1] * 5, [1] * 6, together=set(range(0, 60, 2)))
    assert cost_of(*tapes, sampled=True).epsilon(1e-5) == pytest.approx(
        epsilon_of_steps(0.1, 2.0, 30, 1e-5), rel=1e-4
    )
    assert cost_of(*tapes, sampled=False).epsilon(1e-5) == epsilon_for(30 / 8, 1e-5)


def test_distributions_are_compared_in_both_directions():
    one, other = {"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.4, "c": 0.1}
    assert exact_epsilon(one, other, 0.0) == math.inf
    assert exact_epsilon(one, other, 0.2) == 0 or exact_epsilon(one, other, 0.2) < 1e-9
    assert exact_epsilon(one, other, 0.05) == math.inf
    assert exact_epsilon({"a": 0.9, "b": 0.1}, {"a": 0.1, "b": 0.9}, 0.1) < math.log(9)
