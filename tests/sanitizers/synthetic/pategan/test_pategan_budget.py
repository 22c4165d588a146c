"""The budget of PATE-GAN: what it claims, what it spends, and what it says of both."""

import numpy as np
import pytest

from quintain.accounting.pate import delta_of
from quintain.data import Table
from quintain.errors import NoiseError
from quintain.sanitizers.synthetic.pategan import PateGan
from quintain.sanitizers.synthetic.pategan import synthesizer as pategan
from quintain.sanitizers.synthetic.pategan.synthesizer import PateganPlan
from quintain.testing import example_table, people
from tests.sanitizers.synthetic.pategan.pategan_cases import (
    SMALL,
    Recorder,
    chain,
    distance,
    fitted,
    integers,
    released,
)


def test_the_claim_is_epsilon_and_delta_for_one_record_more_or_less():
    claim = released(chain(3, 3), epsilon=0.7, delta=1e-6).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 1e-6, "add-remove")
    assert PateGan().delta == 1e-5


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("epsilon", [0.3, 5.0, 500.0])
def test_all_answers_fit_the_budget_and_use_it_up(epsilon, share, delta):
    noise = Recorder()
    fitted(chain(3, 4, 2), noise=noise, epsilon=epsilon, delta=delta, marginal_share=share)
    histograms = 3 if share else 1
    assert [size for _, size in noise.answers[:histograms]] == ([3, 4, 2] if share else [1])
    answers = {}
    for number, (scale, size) in enumerate(noise.answers):
        # A record is in one cell of a histogram, but may change every count of votes.
        answers[scale] = answers.get(scale, 0) + (1 if number < histograms else size)
    votes = sum(size for _, size in noise.answers[histograms:])
    assert votes == min(60, votes)
    assert delta_of(epsilon, answers) <= delta
    tighter = {scale * 0.999: count for scale, count in answers.items()}
    assert votes < 60 or delta_of(epsilon, tighter) > delta


def test_an_answer_over_budget_is_refused_before_it_is_given(monkeypatch):
    noise, wrong = Recorder(), PateganPlan(counts=3, count_scale=6.0, queries=60, vote_scale=20.0)
    monkeypatch.setattr(pategan, "make_plan", lambda *_, **__: wrong)
    with pytest.raises(NoiseError, match="would exceed the budget of epsilon 1, delta 1e-05"):
        fitted(chain(3, 4, 2), noise=noise, epsilon=1.0, rounds=3)
    assert noise.answers == [(6.0, 3), (6.0, 4), (6.0, 2)]


def test_a_budget_for_no_query_leaves_the_histograms_and_says_so():
    release = released(chain(3, 4), epsilon=1.0, teachers=1)
    assert "the budget allows no label query" in release.methods[0].detail
    data = chain(3, 40, rows=5000)
    release = released(data, epsilon=1e4, queries=0, rows=5000).data
    assert distance(data, release, 1) < 0.01
    drawn = release.codes()
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.05


def test_the_release_says_how_the_budget_was_spent():
    data = chain(3, 4)
    plan = PateGan(**SMALL, epsilon=20.0).plan(data.schema)
    detail = released(data, epsilon=20.0).methods[0].detail
    assert f"50 teachers answered {plan.queries} label queries" in detail
    assert f"histograms of every column with noise of scale {plan.count_scale:.4g}" in detail
    assert "uniform distribution" in released(data, marginal_share=0.0).methods[0].detail


def test_constant_columns_cost_nothing():
    noise = Recorder()
    data = Table(integers(1, 4, 1), {f"c{i}": np.zeros(300, int) for i in range(3)})
    release = released(data, noise=noise, epsilon=100.0)
    assert noise.answers[0][1] == 4
    assert {size for _, size in noise.answers[1:]} == {30}
    assert (release.data.codes() == 0).mean() > 0.98


def test_the_number_of_records_is_not_the_secret_one():
    data = people(example_table())
    sizes = {fitted(data, epsilon=0.5, seed=seed, queries=0).size for seed in range(10)}
    assert len(sizes) > 5
    assert abs(fitted(data, epsilon=1000.0).size - len(data)) <= 1
    assert fitted(data, epsilon=1e-6, delta=0.0, queries=0).size <= pategan.MOST_RECORDS
