"""The joint test: beside a slow and obvious version, and its false alarms counted."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom, nhypergeom, norm

from quintain.measures.pooled.joint_test import (
    RATES,
    SHARES,
    RankedScores,
    RankSumLaw,
    _permute,
    joint_test,
    members_among,
    members_before,
)


def slow_counts(scores, members):
    """Members above the lowest threshold with few controls, and in the top, group by group."""
    asked = ~np.isnan(scores)
    inside, outside = scores[asked & members], scores[asked & ~members]
    everybody = scores[asked]
    values = sorted(set(everybody.tolist()), reverse=True)
    hits = []
    for rate in RATES:
        best = 0
        for value in values:
            if (outside >= value).sum() <= math.floor(rate * len(outside) + 1e-9):
                best = int((inside >= value).sum())
        hits.append(best)
    tops = []
    for share in SHARES:
        wanted = math.ceil(share * len(everybody))
        sizes = [int((everybody >= value).sum()) for value in values]
        near = [n for n in sizes if wanted <= n <= 2 * wanted] or [
            max((n for n in sizes if n < wanted), default=None)
        ]
        size = min(near) if near[0] is not None else None
        count = None
        if size is not None:
            count = int((inside >= values[sizes.index(size)]).sum())
        tops.append((size, count))
    return hits, tops


def choose(things, chosen):
    return math.comb(things, chosen) if 0 <= chosen <= things else 0


def exact_score(ways, count):
    """The normal score of a count, from how many equally likely orders give 0, 1, 2 ... members.

    The orders are counted in whole numbers. SciPy's laws are not exact enough for a comparison:
    the upper tail of the negative hypergeometric law is one minus the lower one, so at a score of
    six only seven digits are left.
    """
    total = sum(ways)
    above = Fraction(2 * sum(ways[count + 1 :]) + ways[count], 2 * total)
    tail = max(float(min(above, 1 - above)), 1e-300)
    return float(norm.ppf(tail)) * (1 if above > 1 / 2 else -1)


def slow_statistics(scores, members):
    """All statistics of one attack, by counting orders."""
    asked = ~np.isnan(scores)
    n, m = int((asked & members).sum()), int((asked & ~members).sum())
    if n == 0 or m == 0:
        return [0.0] * (1 + len(RATES) + len(SHARES))
    pooled = scores[asked]
    ranks = np.array([(pooled < x).sum() + ((pooled == x).sum() + 1) / 2 for x in pooled])
    # In the order of the fast version: moments of ranks round differently in another order.
    ordered = np.sort(ranks)[::-1]
    out = [float(RankSumLaw.of(ordered, n).scores(ranks[members[asked]].sum()[None])[0])]
    hits, tops = slow_counts(scores, members)
    for rate, count in zip(RATES, hits, strict=True):
        limit = math.floor(rate * m + 1e-9)
        before = [choose(h + limit, h) * choose(n + m - h - limit - 1, n - h) for h in range(n + 1)]
        out.append(exact_score(before, count))
    for size, count in tops:
        if size is None:
            out.append(0.0)
        else:
            among = [choose(n, h) * choose(m, size - h) for h in range(n + 1)]
            out.append(exact_score(among, count))
    return out


def fast_statistics(scores, members):
    ranking = RankedScores.of(scores, members)
    labels = members.astype(np.uint8)[:, None]
    return ranking.statistics(labels, ranking.ranks @ labels.astype(float))[0]


def rounding(scores):
    """How far rounding may move a normal score of so many records.

    A mass is the exponential of nine logarithms of factorials, each at most log(records!) and
    right to two units in its last place; a tail adds at most so many masses. A relative error of
    a tail moves its normal score by that much times at most the square root of pi / 2. The inverse
    of the normal law adds some units in the last place of scores up to 37.
    """
    records = len(scores)
    tail = (18 * math.lgamma(records + 1) + records) * np.finfo(float).eps
    return math.sqrt(math.pi / 2) * tail + 16 * 37 * np.finfo(float).eps


def pool_of(n, m, seed, kinds, lead, *, some_not_asked):
    """So many members and others with scores of so many kinds; members lead by some points."""
    rng = np.random.default_rng(seed)
    members = rng.permutation(n + m) < n
    scores = rng.integers(0, kinds, n + m) + lead * members.astype(float)
    if some_not_asked:
        scores[rng.random(n + m) < 0.3] = np.nan
    return scores, members


@st.composite
def pools(draw):
    sizes = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    seed, kinds = draw(st.integers(0, 10**6)), draw(st.integers(1, 60))
    lead = draw(st.sampled_from([-3, 0, 3]))
    return pool_of(*sizes, seed, kinds, lead, some_not_asked=draw(st.booleans()))


@settings(max_examples=80)
@example(pool_of(40, 31, 420595, 4, 3, some_not_asked=False))  # far above chance
@example(pool_of(35, 34, 314510, 4, 3, some_not_asked=True))
@example(pool_of(40, 31, 420595, 4, -3, some_not_asked=False))  # far below chance
@given(pools())
def test_every_statistic_is_the_obvious_one(pool):
    assert fast_statistics(*pool) == pytest.approx(slow_statistics(*pool), abs=rounding(pool[0]))


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [3, 100, 10**9])
def test_the_short_top_of_a_long_ranking_is_enough(kinds):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, kinds, 3000).astype(float)
    for share in (0.1, 0.5, 0.9):
        members = rng.random(3000) < share
        assert fast_statistics(scores, members) == pytest.approx(
            slow_statistics(scores, members), abs=rounding(scores)
        )


def test_a_perfect_attack_reads_far_down_the_ranking():
    members = np.arange(2000) < 1000
    scores = -np.arange(2000.0)
    assert fast_statistics(scores, members) == pytest.approx(
        slow_statistics(scores, members), abs=rounding(scores)
    )


def test_the_p_value_is_that_of_the_slow_version():
    rng = np.random.default_rng(3)
    members = rng.permutation(60) < 25
    scores = [rng.normal(size=60), rng.integers(0, 4, 60) + 0.7 * members, np.full(60, 2.0)]
    scores[0][rng.random(60) < 0.2] = np.nan
    test = joint_test(scores, members, rng=np.random.default_rng(5), permutations=49)
    labellings = [members]
    left_out = np.isnan(scores[0])
    groups = [np.flatnonzero(~left_out), np.flatnonzero(left_out)]
    for block in _permute(groups, members, 49, np.random.default_rng(5)):
        labellings += [column.astype(bool) for column in block.T]
    slow = np.array([[max(slow_statistics(s, m)) for s in scores] for m in labellings])
    own = (slow >= slow[0] - 1e-9).mean(axis=0)
    assert test.own == pytest.approx(own.tolist())
    assert test.p == pytest.approx((slow.max(1) >= slow[0].max() - 1e-9).mean())
    assert test.strongest == slow[0].argmax()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(60, 60), (20, 150)])
def test_false_alarms_are_as_rare_as_the_level_says(n, m):
    rng = np.random.default_rng(n)
    members = np.arange(n + m) < n
    alarms = 0
    for _ in range(200):
        # Continuous, tied, sparse and dependent scores, and one about some of the records.
        first = rng.normal(size=n + m)
        some = np.where(rng.random(n + m) < 0.4, first, np.nan)
        sparse = (rng.random(n + m) < 0.03).astype(float)
        scores = [first, first.round(), sparse, some]
        alarms += joint_test(scores, members, rng=rng, permutations=99).p <= 0.05
    assert binomtest(alarms, 200, 0.05, alternative="greater").pvalue > 0.01, alarms


def test_the_p_value_is_uniform_where_scores_have_no_ties():
    rng = np.random.default_rng(1)
    members = np.arange(100) < 50
    p = [
        joint_test([rng.normal(size=100)], members, rng=rng, permutations=99).p for _ in range(250)
    ]
    for level in (0.05, 0.2, 0.5):
        assert binomtest(int(np.sum(np.array(p) <= level)), 250, level).pvalue > 0.001


def test_an_attack_may_be_asked_about_as_many_members_as_others():
    rng = np.random.default_rng(2)
    members = np.arange(600) < 100
    alarms = 0
    for _ in range(200):
        rows = np.concatenate([rng.choice(100, 50, False), 100 + rng.choice(500, 50, False)])
        scores = np.full(600, np.nan)
        scores[rows] = rng.normal(size=100)
        alarms += joint_test([scores], members, rng=rng, permutations=99).p <= 0.05
    assert binomtest(alarms, 200, 0.05, alternative="greater").pvalue > 0.01


def test_within_strata_a_control_of_other_people_is_no_leak_and_a_leak_is_one():
    rng = np.random.default_rng(5)
    strata = np.repeat(np.arange(4), 200)
    members = rng.random(800) < np.array([0.2, 0.4, 0.6, 0.8])[strata]
    drift = strata + rng.normal(size=800)
    leak = drift + members
    plain, within, found = (
        joint_test([scores], members, rng=np.random.default_rng(1), permutations=199, strata=parts)
        for scores, parts in ((drift, None), (drift, strata), (leak, strata))
    )
    assert plain.p == found.p == 1 / 200
    assert within.p > 0.05


def test_one_stratum_is_none():
    rng = np.random.default_rng(2)
    members, scores = rng.random(60) < 0.5, [rng.normal(size=60)]
    tests = [
        joint_test(scores, members, rng=np.random.default_rng(3), permutations=99, strata=strata)
        for strata in (None, np.full(60, 7))
    ]
    assert tests[0] == tests[1]


def test_rare_copies_are_seen_beside_many_weak_attacks():
    rng = np.random.default_rng(4)
    members = np.arange(4000) < 2000
    scores = [rng.normal(size=4000) for _ in range(10)]
    copied = np.zeros(4000)
    copied[:40] = 5  # 2 % of the members are found verbatim
    copied[rng.choice(4000, 40, replace=False)] = 5  # and so are some people by chance
    test = joint_test([*scores, copied], members, rng=rng, permutations=199)
    assert (test.p, test.strongest) == (1 / 200, 10)
    assert min(test.own[:10]) > 0.01


def test_a_small_shift_of_everybody_is_seen():
    rng = np.random.default_rng(6)
    members = np.arange(10000) < 5000
    test = joint_test([rng.normal(size=10000) + 0.12 * members], members, rng=rng, permutations=199)
    assert (test.p, test.statistic) == (1 / 200, "AUC")


@settings(max_examples=20)
@given(pools(), st.sampled_from([np.exp, np.arctan, lambda x: x**3 - 7]))
def test_only_the_order_of_scores_matters(pool, transform):
    scores, members = pool
    moved = transform(scores / 10)
    one, other = (
        joint_test([s], members, rng=np.random.default_rng(0), permutations=49)
        for s in (scores, moved)
    )
    assert one == other


@settings(max_examples=20)
@given(pools(), st.integers(0, 100))
def test_the_order_of_attacks_does_not_matter(pool, seed):
    scores, members = pool
    three = [scores, np.round(scores / 3), np.random.default_rng(seed).normal(size=len(members))]
    one = joint_test(three, members, rng=np.random.default_rng(0), permutations=49)
    other = joint_test(three[::-1], members, rng=np.random.default_rng(0), permutations=49)
    assert one.p == other.p
    assert one.own == other.own[::-1]


def test_the_order_of_records_does_not_matter_for_long():
    rng = np.random.default_rng(8)
    members = np.arange(300) < 150
    scores = rng.normal(size=300) + 0.25 * members
    order = rng.permutation(300)
    p = [
        joint_test([s], m, rng=np.random.default_rng(0), permutations=1999).p
        for s, m in ((scores, members), (scores[order], members[order]))
    ]
    assert p[0] == pytest.approx(p[1], abs=0.02)


def test_scores_that_say_nothing_are_no_evidence():
    members = np.arange(20) < 10
    rng = np.random.default_rng(0)
    assert joint_test([np.zeros(20)], members, rng=rng).p == 1
    assert joint_test([np.full(20, np.nan)], members, rng=rng).p == 1
    assert joint_test([np.arange(20.0)], np.ones(20, bool), rng=rng).p == 1
    assert joint_test([], members, rng=rng).p == 1
    assert joint_test([np.arange(2.0)], np.array([False, True]), rng=rng).p > 0.3


def test_laws_are_those_of_scipy():
    law = hypergeom(50, 20, 7)
    hits = np.arange(8)
    assert members_among(7, 20, 30)[:8] == pytest.approx(
        -norm.ppf(law.sf(hits) + law.pmf(hits) / 2)
    )
    law = nhypergeom(50, 20, 4)
    hits = np.arange(21)
    assert members_before(3, 20, 30) == pytest.approx(-norm.ppf(law.sf(hits) + law.pmf(hits) / 2))
