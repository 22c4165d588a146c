"""Detectable effects: simulated audits see them about as often as promised."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from quintain.measures.pooled.detectable import smallest_auc, smallest_rate, smallest_share
from quintain.measures.pooled.joint_test import joint_test


def power(n, m, share, level, rng, runs=40):
    """How often the joint test sees a share of members lifted above a quantile of the others."""
    members = np.arange(n + m) < n
    seen = 0
    for _ in range(runs):
        score = rng.random(n + m)
        lifted = members & (rng.random(n + m) < share)
        score[lifted] = level + (1 - level) * rng.random(lifted.sum()) + (level == 1)
        seen += joint_test([score], members, rng=rng, permutations=99).p <= 0.05
    return seen / runs


@pytest.mark.parametrize("end", ["low", "value", "high"])
def test_a_detectable_share_is_seen_in_most_audits(end):
    n = m = 500
    rng = np.random.default_rng(1)
    members = np.arange(n + m) < n
    critical = joint_test([rng.random(n + m)], members, rng=rng).critical
    reading = smallest_share(n, m, critical=critical)
    level = {"low": 1.0, "value": 0.9, "high": 0.5}[end]
    # The joint test has several statistics and may see more than the one that is reckoned with.
    assert power(n, m, getattr(reading, end), level, rng) >= 0.65
    assert power(n, m, getattr(reading, end) / 3, level, rng) <= 0.65


def test_more_people_show_smaller_effects():
    sizes = [smallest_share(n, n) for n in (50, 500, 5000, 50_000)]
    for few, many in itertools.pairwise(sizes):
        assert many.value < few.value and many.low < few.low and many.high < few.high
    assert all(one.low <= one.value <= one.high for one in sizes)


def test_the_auc_is_that_of_the_normal_law():
    # 200 and 100 people: the spread of the AUC is sqrt(301 / (12 * 200 * 100)).
    expected = 0.5 + (norm.ppf(0.95) + norm.ppf(0.8)) * np.sqrt(301 / 240_000)
    assert smallest_auc(200, 100) == pytest.approx(expected)


def test_a_rate_is_seen_as_often_as_promised():
    n, m, chance = 2000, 2000, 0.1
    rate = smallest_rate(chance, n, m)
    rng = np.random.default_rng(0)
    hits, false = rng.binomial(n, rate, 20_000) / n, rng.binomial(m, chance, 20_000) / m
    both = (hits + false) / 2
    z = (hits - false) / np.sqrt(both * (1 - both) * (1 / n + 1 / m))
    assert (z > norm.ppf(0.95)).mean() == pytest.approx(0.8, abs=0.01)


def test_nobody_shows_nothing():
    assert not smallest_share(0, 10).measured
    assert smallest_auc(0, 10) == 1
    assert smallest_rate(0.1, 10, 0) == 1
    assert smallest_share(2, 2).value == 1
