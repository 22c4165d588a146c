"""The advantage: its bound holds, and it sees few copies among many people."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from quintain.measures.intervals import clopper_pearson
from quintain.measures.pooled.exposed import advantage
from quintain.measures.pooled.halves import curve, halves


def pool(rng, n, m, share, attacks=4, lift=3.0):
    """Scores of n members, of whom a share is moved up in the last attack, and of m others."""
    members = np.arange(n + m) < n
    scores = [rng.normal(size=n + m) for _ in range(attacks)]
    exposed = rng.random(n + m) < share
    scores[-1] += lift * (exposed & members)
    return scores, members


@pytest.mark.parametrize(("n", "m"), [(150, 150), (40, 400), (400, 40)])
def test_the_bound_is_zero_where_nobody_is_exposed(n, m):
    rng = np.random.default_rng(n)
    alarms = 0
    for number in range(120):
        scores, members = pool(rng, n, m, 0.0)
        scores[0] = scores[0].round()
        scores[1] = np.where(rng.random(n + m) < 0.5, scores[1], np.nan)
        scores[2] = (scores[2] > 2).astype(float)
        alarms += advantage(scores, members, rng=np.random.default_rng(number)).low > 0
    assert binomtest(alarms, 120, 0.05, alternative="greater").pvalue > 0.01, alarms


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_the_bound_is_below_the_true_share(share):
    rng = np.random.default_rng(7)
    wrong = 0
    for number in range(120):
        scores, members = pool(rng, 300, 300, share, lift=50.0)
        # All exposed people stand out, so the share that can be seen is the true one.
        reading = advantage(scores, members, rng=np.random.default_rng(number))
        wrong += reading.low > share
        assert reading.low <= reading.value <= reading.high
    assert binomtest(wrong, 120, 0.05, alternative="greater").pvalue > 0.01, wrong


def test_three_percent_of_copies_among_many_people_are_seen():
    rng = np.random.default_rng(0)
    seen = []
    for number in range(10):
        scores, members = pool(rng, 10_000, 10_000, 0.0, attacks=8)
        # Rare records found verbatim: 1 % of everybody by chance, and 3 % of the members copied.
        found = rng.random(20_000) < np.where(members, 0.04, 0.01)
        scores[-1] = np.where(found, rng.gamma(2, 5, 20_000), 0.0)
        seen.append(advantage(scores, members, rng=np.random.default_rng(number)).low)
    assert min(seen) > 0.01
    assert max(seen) < 0.03


def test_the_bound_is_that_of_the_definition():
    rng = np.random.default_rng(1)
    members = np.arange(400) < 200
    scores = np.where(rng.random(400) < np.where(members, 0.5, 0.1), 1.0, 0.0)
    reading = advantage([scores], members, rng=np.random.default_rng(2))
    first, _ = halves([scores], members, rng=np.random.default_rng(2))
    lows, values = [], []
    for part in (first, ~first):
        hits, false = (int(scores[part & side].sum()) for side in (members, ~members))
        # The error of 5 % goes to two halves and in each of them to two rates.
        low, high = clopper_pearson(hits, 100, 0.975)[0], clopper_pearson(false, 100, 0.975)[1]
        lows.append((low - high) / (1 - high))
        values.append((hits - false) / (100 - false))
    assert reading.low == pytest.approx(max(lows))
    assert reading.value == pytest.approx(sum(values) / 2)


def test_a_small_shift_of_everybody_is_a_small_advantage():
    rng = np.random.default_rng(3)
    members = np.arange(20_000) < 10_000
    reading = advantage([rng.normal(size=20_000) + 0.15 * members], members, rng=rng)
    # With a threshold in the lowest scores it would be nearly everybody.
    assert 0.05 < reading.value < 0.13


def test_nothing_to_compare_is_said():
    rng = np.random.default_rng(0)
    assert not advantage([], np.arange(9) < 4, rng=rng).measured
    assert not advantage([np.full(9, np.nan)], np.arange(9) < 4, rng=rng).measured
    assert not advantage([np.arange(9.0)], np.ones(9, bool), rng=rng).measured
    reading = advantage([np.zeros(100)], np.arange(100) < 50, rng=rng)
    assert (reading.low, reading.value) == (0.0, 0.0)
    assert advantage([np.arange(4.0)], np.arange(4) > 1, rng=rng).low < 1


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.integers(2, 80), st.sampled_from([np.exp, np.arctan]))
def test_only_the_order_of_scores_matters(seed, n, transform):
    scores, members = pool(np.random.default_rng(seed), n, n, 0.4)
    one = advantage(scores, members, rng=np.random.default_rng(0))
    other = advantage([transform(s / 60) for s in scores], members, rng=np.random.default_rng(0))
    assert one == other


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_the_curve_counts_every_threshold(inside, outside):
    thresholds, hits, false = curve(np.array(inside, float), np.array(outside, float))
    assert thresholds.tolist() == sorted(set(inside + outside), reverse=True)
    for threshold, hit, wrong in zip(thresholds, hits, false, strict=True):
        assert hit == sum(value >= threshold for value in inside)
        assert wrong == sum(value >= threshold for value in outside)
