"""Every method: the same surface, a ceiling that holds, and refusals in words."""

import math
from pathlib import Path

import numpy as np
import pytest

from quintain.measures.epsilon import DEFAULT, METHODS
from quintain.measures.epsilon.gaussian import Gaussian
from quintain.measures.epsilon.joint_exact import JointExact
from quintain.measures.epsilon.one_run import OneRunGaussian
from quintain.measures.epsilon.thresholds import (
    ClopperPearson,
    FixedThreshold,
    HeldOutThreshold,
    SeveralSplits,
)

OFFERED = {
    **{name: method for name, method in METHODS.items() if "gaussian" not in name},
    "gaussian, vouched for": Gaussian(mechanism_is_gaussian=True),
    "one-run-gaussian, vouched for": OneRunGaussian(mechanism_is_gaussian=True),
    "clopper-pearson, several splits": ClopperPearson(SeveralSplits(3)),
    "joint-exact, fixed threshold": JointExact(FixedThreshold(0.5)),
}
each_method = pytest.mark.parametrize("method", OFFERED.values(), ids=OFFERED)


def bound(method, with_it, without, delta=1e-5, level=0.95, seed=0):
    rng = np.random.default_rng(seed)
    with_it, without = np.asarray(with_it, float), np.asarray(without, float)
    return method.bound(with_it, without, delta=delta, level=level, rng=rng)


def test_methods_are_listed_under_their_names():
    assert all(name == method.name for name, method in METHODS.items())
    assert METHODS[DEFAULT.name] is DEFAULT
    assert {m.name for m in METHODS.values() if m.design == "coins"} == {
        "one-run",
        "one-run-gaussian",
    }


@each_method
def test_a_perfect_attack_reaches_the_ceiling_and_no_more(method):
    reading = bound(method, np.ones(40), np.zeros(40))
    assert reading.value == pytest.approx(method.ceiling(40, 40, delta=1e-5))
    assert reading.value > 0.9
    assert (reading.kind, reading.better, reading.high) == ("lower-bound", "lower", math.inf)
    assert method.name in reading.method


@each_method
def test_the_same_seed_gives_the_same_bound(method):
    rng = np.random.default_rng(1)
    scores = rng.normal(1, 1, 60), rng.normal(0, 1, 60)
    assert bound(method, *scores) == bound(method, *scores)


@each_method
def test_scores_that_say_nothing_bound_next_to_nothing(method):
    assert bound(method, np.zeros(50), np.zeros(50)).value < 0.05


@each_method
def test_a_run_without_a_score_is_refused_in_words(method):
    reading = bound(method, [1.0, math.nan, 2.0], np.zeros(3))
    assert not reading.measured
    assert reading.note == "runs without a score: 1"


@each_method
def test_too_few_runs_give_no_bound(method):
    reading = bound(method, np.array([]), np.array([]))
    assert not reading.measured
    assert reading.note


@each_method
def test_hardly_any_runs_have_hardly_any_ceiling(method):
    assert method.ceiling(0, 0, delta=1e-5) == 0
    assert method.ceiling(1, 1, delta=1e-5) <= 0.2


@each_method
def test_infinite_scores_are_scores(method):
    reading = bound(method, np.full(40, math.inf), np.full(40, -math.inf))
    assert reading.value == pytest.approx(method.ceiling(40, 40, delta=1e-5))


@each_method
def test_more_runs_raise_the_ceiling_and_a_higher_level_lowers_it(method):
    ceilings = [method.ceiling(n, n, delta=1e-5) for n in (10, 30, 100, 1000)]
    assert ceilings == sorted(ceilings)
    assert method.ceiling(100, 100, delta=1e-5, level=0.99) < ceilings[2]


@pytest.mark.parametrize("method", [Gaussian, OneRunGaussian])
def test_a_gaussian_bound_asks_the_caller_to_vouch_for_the_mechanism(method):
    refused = bound(method(), np.ones(40), np.zeros(40))
    assert not refused.measured
    assert "only for mechanisms whose trade-off curve is Gaussian" in refused.note
    no_delta = bound(method(mechanism_is_gaussian=True), np.ones(40), np.zeros(40), delta=0.0)
    assert "no finite epsilon for delta 0" in no_delta.note


def test_the_threshold_comes_from_other_runs_than_the_bound():
    # A threshold that is chosen on the runs it is judged by finds something in pure noise.
    shares = []
    for seed in range(200):
        scores = np.random.default_rng(seed).random((2, 40))
        shares.append(bound(ClopperPearson(HeldOutThreshold(0.5)), *scores, seed=seed).value > 0)
    assert np.mean(shares) <= 0.05


PAGE = Path(__file__).resolve().parents[3] / "docs/reference/epsilon.md"


def test_the_page_has_every_method_and_its_ceilings():
    text = PAGE.read_text()
    sizes = (10, 30, 100, 250, 1000)
    for name, method in METHODS.items():
        assert f"| `{name}` |" in text
        if "gaussian" not in name:
            shown = " | ".join(f"{method.ceiling(n, n):.2f}" for n in sizes)
            assert f"| `{name}` | {shown} | " in text
