"""Nameable records: wrong names are as rare as promised, and the bound holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, false_discovery_control, hypergeom

from quintain.measures.pooled.nameable import conformal, discoveries, most_unexposed, nameable


def pool(rng, n, m, exposed, attacks=4, lift=4.0):
    """Scores of n members, of whom the first ``exposed`` stand out in the last attack."""
    members = np.arange(n + m) < n
    scores = [rng.normal(size=n + m) for _ in range(attacks)]
    scores[-1][:exposed] += lift
    return scores, members


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "exposed"), [(600, 600, 80), (400, 1200, 60), (600, 400, 150)])
def test_few_names_are_wrong_and_the_bound_holds(n, m, exposed):
    rng = np.random.default_rng(exposed)
    wrong, above = [], 0
    for number in range(60):
        scores, members = pool(rng, n, m, exposed)
        names = nameable(scores, members, rng=np.random.default_rng(number), splits=7)
        wrong.append((names.rows >= exposed).sum() / max(1, len(names.rows)))
        above += names.count.low > exposed
        assert members[names.rows].all()
        assert names.count.low <= names.count.value == len(names.rows)
    assert np.mean(wrong) - 2.6 * np.std(wrong) / np.sqrt(len(wrong)) <= 0.1
    assert binomtest(above, 60, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize(("n", "m"), [(300, 300), (60, 600), (600, 60)])
def test_nobody_is_named_where_nobody_is_exposed(n, m):
    rng = np.random.default_rng(m)
    named = bound = 0
    for number in range(60):
        scores, members = pool(rng, n, m, 0)
        scores[0] = (scores[0] > 2).astype(float)
        scores[1] = np.where(rng.random(n + m) < 0.5, scores[1], np.nan)
        names = nameable(scores, members, rng=np.random.default_rng(number), splits=7)
        named += names.count.value > 0
        bound += names.count.low > 0
    # Named in most splits: rarer than the tenth of cases in which one half names somebody.
    assert binomtest(named, 60, 0.1, alternative="greater").pvalue > 0.01
    assert binomtest(bound, 60, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.slow
def test_rare_records_found_verbatim_can_be_named():
    rng = np.random.default_rng(0)
    for number in range(5):
        scores, members = pool(rng, 10_000, 10_000, 0, attacks=8)
        found = rng.random(20_000) < np.where(members, 0.11, 0.085)  # 2.5 % more by copies
        rarity = rng.gamma(2, 2, 20_000)
        copied = found & members & (rng.random(20_000) < 0.25)
        scores[3] = np.where(found, rarity + 14 * copied, 0.0)
        names = nameable(scores, members, rng=np.random.default_rng(number))
        assert names.count.low > 50
        assert set(names.attacks.tolist()) == {3}


def test_a_name_comes_with_its_p_value():
    rng = np.random.default_rng(1)
    scores, members = pool(rng, 500, 500, 100, attacks=2)
    names = nameable(scores, members, rng=rng)
    assert np.isnan(names.p[~members]).all()
    assert ((names.p[members] > 0) & (names.p[members] <= 1)).all()
    assert (np.diff(names.p[names.rows]) >= 0).all()
    assert names.p[names.rows].max() < 0.02


def test_people_without_a_score_are_not_named():
    rng = np.random.default_rng(2)
    scores, members = pool(rng, 500, 500, 100, attacks=1)
    scores[0][:50] = np.nan
    names = nameable(scores, members, rng=rng)
    assert names.rows.min() >= 50
    assert (names.p[:50] == 1).all()


@pytest.mark.parametrize(
    "scores", [[], [np.zeros(6)], [np.full(6, np.nan)], [np.arange(6.0)]], ids=range(4)
)
@pytest.mark.parametrize("members", [0, 1, 3, 6])
def test_tiny_tables_name_nobody(scores, members):
    names = nameable(scores, np.arange(6) < members, rng=np.random.default_rng(0))
    assert names.count.value == 0
    assert len(names.rows) == 0


@settings(deadline=None)
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=60), st.sampled_from([0.05, 0.1, 0.5]))
def test_the_line_is_that_of_scipy(p, share):
    expected = false_discovery_control(p) <= share
    close = np.isclose(false_discovery_control(p), share)
    assert (discoveries(np.array(p), share) == expected)[~close].all()


@settings(deadline=None)
@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_conformal_p_values_are_counted(scores, others):
    expected = [(1 + sum(o >= s for o in others)) / (1 + len(others)) for s in scores]
    assert conformal(np.array(scores, float), np.array(others, float)).tolist() == expected


@pytest.mark.parametrize(("n", "m"), [(15, 15), (8, 25), (25, 8)])
def test_the_bound_on_unexposed_members_covers(n, m):
    # All are unexposed: for every size of the top, the bound fails rarely enough.
    for top in range(1, n + m):
        law = hypergeom(n + m, m, top)
        false = np.arange(max(0, top - n), min(top, m) + 1)
        fails = [top - f > most_unexposed(int(f), n, m, 0.1) for f in false]
        assert law.pmf(false)[fails].sum() <= 0.1 + 1e-9


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 1000), st.sampled_from([np.exp, np.arctan]))
def test_only_the_order_of_scores_matters(seed, transform):
    scores, members = pool(np.random.default_rng(seed), 80, 80, 30)
    one, other = (
        nameable(s, members, rng=np.random.default_rng(0), splits=3)
        for s in (scores, [transform(s / 10) for s in scores])
    )
    assert one.count == other.count
    assert one.rows.tolist() == other.rows.tolist()
