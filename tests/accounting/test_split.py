"""Two steps never spend more together than the whole budget, for a row or for a person."""

import math

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from quintain.accounting.split import ADDED_DELTA, split_budget, split_for_answers
from quintain.accounting.zcdp import delta_for, epsilon_for, rho_for

EPSILONS = st.floats(0.01, 50)
DELTAS = st.floats(1e-12, 1e-3)
SHARES = st.floats(0.01, 0.9)
ROWS = st.integers(1, 40)
FEW = settings(max_examples=20, deadline=None)
"""Each account is found by halving intervals twice over, which takes some milliseconds."""


@FEW
@given(EPSILONS, DELTAS)
@example(0.01, 0.0008791623582164434)
def test_an_epsilon_leads_back_to_its_rho_and_not_beyond(epsilon, delta):
    rho = rho_for(epsilon, delta)
    assume(delta_for(rho, 0.0) > delta)
    back = epsilon_for(rho, delta)
    assert back <= epsilon * (1 + 1e-9)
    assert rho_for(back, delta) <= rho
    assert back == pytest.approx(epsilon, rel=1e-6)


@FEW
@given(EPSILONS, DELTAS, SHARES, ROWS)
def test_in_zcdp_both_steps_stay_within_the_budget_of_a_person(epsilon, delta, share, rows):
    split = split_budget(epsilon, delta, share=share, rows=rows, account="zcdp")
    rho = rows**2 * (split.rho + rho_for(split.epsilon, split.delta))
    assert delta_for(rho, epsilon) + split.threshold <= delta * (1 + 1e-6)
    assert split.total_delta == delta


@FEW
@given(EPSILONS, SHARES, ROWS)
def test_a_pure_sanitizer_pays_the_thresholds_with_a_delta_that_is_said(epsilon, share, rows):
    split = split_budget(epsilon, 0.0, share=share, rows=rows, account="pure")
    spent = share * epsilon
    assert rows * split.epsilon + spent <= epsilon * (1 + 1e-9)
    assert delta_for(rows**2 * split.rho, spent) + split.threshold <= ADDED_DELTA * (1 + 1e-6)
    assert (split.total_delta, split.delta) == (ADDED_DELTA, 0.0)


@FEW
@given(EPSILONS, DELTAS, SHARES, ROWS)
def test_an_approximate_sanitizer_keeps_half_of_delta(epsilon, delta, share, rows):
    split = split_budget(epsilon, delta, share=share, rows=rows, account="approximate")
    rest = rows * split.epsilon
    grown = split.delta * sum(math.exp(i * split.epsilon) for i in range(rows))
    assert rest + share * epsilon <= epsilon * (1 + 1e-9)
    assert grown <= delta / 2 * (1 + 1e-6)
    assert split.total_delta == delta


@pytest.mark.parametrize("account", ["zcdp", "approximate", "pure"])
def test_without_a_share_and_with_one_row_nothing_changes(account):
    delta = 0.0 if account == "pure" else 1e-6
    split = split_budget(1.5, delta, share=0, account=account)
    assert (split.epsilon, split.delta, split.rho, split.threshold) == (1.5, delta, 0, 0)


@FEW
@given(EPSILONS, DELTAS, SHARES, st.integers(1, 30))
def test_answers_and_the_rest_stay_within_the_budget(epsilon, delta, share, answers):
    each, rest, left = split_for_answers(
        epsilon, delta, share=share, answers=answers, account="zcdp"
    )
    rho = answers * each**2 / 2 + rho_for(rest, left)
    assert delta_for(rho, epsilon) <= delta * (1 + 1e-6)
    each, rest, left = split_for_answers(
        epsilon, delta, share=share, answers=answers, account="approximate"
    )
    assert answers * each + rest == pytest.approx(epsilon) and left == delta


def test_each_part_of_a_budget_is_what_the_definition_says():
    half = split_budget(1.0, 1e-6, share=0.2, account="zcdp")
    rho = rho_for(1.0, 5e-7)
    assert (half.threshold, half.delta) == (5e-7, 5e-7)
    assert half.rho == pytest.approx(0.2 * rho)
    assert half.epsilon == pytest.approx(epsilon_for(0.8 * rho, 5e-7))
    three = split_budget(1.0, 1e-6, share=0.2, rows=3, account="zcdp")
    assert three.rho == pytest.approx(0.2 * rho / 9)
    plain = split_budget(1.0, 1e-6, share=0.0, rows=3, account="zcdp")
    assert (plain.rho, plain.threshold) == (0.0, 0.0)
    assert plain.epsilon == pytest.approx(epsilon_for(rho_for(1.0, 1e-6) / 9, 1e-6))
    shared = split_budget(1.0, 1e-6, share=0.2, rows=2, account="approximate")
    assert (shared.threshold, shared.epsilon) == (2.5e-7, 0.4)
    assert shared.rho == pytest.approx(rho_for(0.2, 2.5e-7) / 4)
    # For two rows of a unit, delta grows by (1 + e^epsilon) at the epsilon of each.
    assert shared.delta == pytest.approx(5e-7 / (1 + math.exp(0.4)))
