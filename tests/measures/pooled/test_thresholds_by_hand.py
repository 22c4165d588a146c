"""Chosen thresholds: every rule of the pooled measures, against plain loops on tiny halves."""

import math

import numpy as np
import pytest
from scipy.stats import beta, binomtest, norm

from quintain.measures.pooled.exposed import (
    _best_rule,
    _bounds,
    _exposing_rule,
    _share,
    _wilson,
    advantage,
    exposed_share,
    smallest_bounded,
)
from quintain.measures.pooled.halves import Half, HalvesRule, above, curve, halves
from quintain.measures.pooled.nameable import _naming_rule, _rightly_named, most_unexposed, nameable


def half(*attacks):
    """A half of the pool, from the places of the members and of the others for each attack."""
    inside, outside = zip(*attacks, strict=True)
    return Half(*(tuple(np.array(one, float) for one in side) for side in (inside, outside)))


def drawn(seed, attacks=3):
    """Small places with many ties; one attack scored nobody on one side."""
    rng = np.random.default_rng(seed)
    scored = [
        (rng.integers(0, 9, rng.integers(4, 30)), rng.integers(0, 6, rng.integers(4, 30)))
        for _ in range(attacks)
    ]
    return half(*scored, ([], [3.0]), ([3.0], []))


def steps(half, attack):
    """Each threshold of an attack, the highest first, with who reaches it."""
    inside, outside = half.inside[attack], half.outside[attack]
    for threshold in sorted({*inside.tolist(), *outside.tolist()}, reverse=True):
        yield threshold, int((inside >= threshold).sum()), int((outside >= threshold).sum())


def asked(half):
    return [a for a in range(len(half.inside)) if half.has(a)]


def share(hit_rate, false_rate):
    return 0.0 if false_rate >= 1 else max(0.0, (hit_rate - false_rate) / (1 - false_rate))


def exposing(half, false_rate):
    best, rule = -1.0, None
    for a in asked(half):
        found = 0.0, math.inf
        for threshold, hits, false in steps(half, a):
            if false <= false_rate * len(half.outside[a]) + 1e-9:
                rates = hits / len(half.inside[a]), false / len(half.outside[a])
                found = share(*rates), threshold
        if found[0] > best:
            best, rule = found[0], HalvesRule(a, found[1])
    return rule


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("false_rate", [0.0, 0.1, 0.25, 1.0])
def test_the_exposing_rule_is_that_of_plain_loops(seed, false_rate):
    assert _exposing_rule(drawn(seed), false_rate) == exposing(drawn(seed), false_rate)


def test_the_lowest_threshold_that_few_enough_reach_is_chosen():
    attack = [3, 3, 1, 0], [2, 1, 0, 0]
    assert _exposing_rule(half(attack), 0.25) == HalvesRule(0, 2.0)
    assert _exposing_rule(half(attack), 0.24) == HalvesRule(0, 3.0)
    # Shares count, not numbers: two of two members are more than three of ten.
    several = half(([1, 1], [0] * 10), ([1] * 3 + [0] * 7, [0] * 10))
    assert _exposing_rule(several, 0.0) == HalvesRule(0, 1.0)
    assert _exposing_rule(half(([0], [1]), ([0], [1])), 0.0) == HalvesRule(0, math.inf)
    assert _exposing_rule(half(([], [1])), 0.0) is None
    # 0.29 * 100 is a little below 29 in floats.
    hundred = half(([1] * 50, [1] * 29 + [0] * 71))
    assert _exposing_rule(hundred, 0.29) == HalvesRule(0, 1.0)


def wilson(hits, n, side):
    """The end of Wilson's interval whose normal deviate is 2.24, by another package."""
    level = 2 * float(norm.cdf(2.24)) - 1
    interval = binomtest(hits, n).proportion_ci(level, method="wilson")
    return interval.low if side < 0 else interval.high


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (1, 5), (5, 5), (30, 100)])
def test_ends_of_intervals_are_those_of_wilson(hits, n):
    for side in (-1, 1):
        assert _wilson(np.array([hits]), n, side)[0] == pytest.approx(wilson(hits, n, side))


@pytest.mark.parametrize("seed", range(12))
def test_the_rule_with_the_highest_bound_is_that_of_plain_loops(seed):
    one = drawn(seed)
    best, rule = -math.inf, None
    for a in asked(one):
        n, m = len(one.inside[a]), len(one.outside[a])
        for threshold, hits, false in steps(one, a):
            bound = -1.0 if false > 0.5 * m else share(wilson(hits, n, -1), wilson(false, m, 1))
            if bound > best + 1e-12:
                best, rule = bound, HalvesRule(a, threshold)
    assert _best_rule(one) == rule
    assert _best_rule(half(([1], []))) is None


def test_up_to_half_of_the_others_may_reach_the_threshold():
    exact = half(([1] * 40, [1] * 20 + [0] * 20))
    assert _best_rule(exact) == HalvesRule(0, 1.0)
    more = half(([2] + [1] * 39, [1] * 21 + [0] * 19))
    assert _best_rule(more) == HalvesRule(0, 2.0)


def test_the_bounds_of_a_rule_are_those_of_clopper_and_pearson():
    one = half(([2, 2, 2, 1, 0], [2, 1, 0, 0, 0, 0, 0, 0]))
    value, low, high = _bounds(one, HalvesRule(0, 2.0), 0.1)
    # Each interval errs with 0.1, so each of its ends with 0.05.
    hit = beta.ppf(0.05, 3, 3), beta.ppf(0.95, 4, 2)
    false = beta.ppf(0.05, 1, 8), beta.ppf(0.95, 2, 7)
    assert value == pytest.approx(share(3 / 5, 1 / 8))
    assert low == pytest.approx(share(hit[0], false[1]))
    assert high == pytest.approx(share(hit[1], false[0]))


@pytest.mark.parametrize(
    ("rates", "expected"), [((0.5, 0.2), 0.375), ((0.2, 0.5), 0.0), ((1, 1), 0.0), ((1, 0), 1.0)]
)
def test_the_share_that_two_rates_prove(rates, expected):
    assert float(_share(*map(np.array, rates))) == pytest.approx(expected)


def test_where_a_half_has_nobody_nothing_is_bounded():
    assert smallest_bounded(1, 100) == smallest_bounded(100, 1) == 1.0
    assert smallest_bounded(2, 2) == 1.0
    # Of 10 members of a half, and no false alarm of 10, the fewest hits with a bound above 0.
    ceiling = beta.ppf(1 - 0.0125 / 2, 1, 10)
    hits = next(h for h in range(1, 11) if beta.ppf(0.0125 / 2, h, 11 - h) > ceiling)
    assert smallest_bounded(20, 20, level=0.95) == hits / 10


def test_an_advantage_is_the_mean_of_both_ways_and_its_bound_the_larger():
    rng = np.random.default_rng(3)
    members = np.arange(300) < 150
    scores = [np.round(2 * (rng.normal(size=300) + members)) + 20]
    reading = advantage(scores, members, rng=np.random.default_rng(1), level=0.9)
    places = [np.unique(scores[0], return_inverse=True)[1].astype(float)]
    _, (one, other) = halves(places, members, rng=np.random.default_rng(1))
    ways = [_bounds(b, _best_rule(a), (1 - 0.9) / 2) for a, b in ((one, other), (other, one))]
    low = max(way[1] for way in ways)
    assert 0 < low == reading.low
    assert reading.value == pytest.approx(max(low, np.mean([way[0] for way in ways])))
    assert (reading.high, reading.n) == (max(way[2] for way in ways), 300)
    assert (reading.level, reading.better) == (0.9, "lower")


@pytest.mark.parametrize("measure", [advantage, exposed_share])
def test_where_nobody_was_scored_on_a_side_nothing_is_read(measure):
    members = np.arange(20) < 10
    nobody = [np.where(members, 1.0, np.nan)]
    assert not measure(nobody, members, rng=np.random.default_rng(0)).measured
    # One attack scored only one person outside: no half of the pool can judge the other.
    single = [np.where(members | (np.arange(20) == 10), 1.0, np.nan)]
    assert not measure(single, members, rng=np.random.default_rng(0)).measured


def test_a_curve_has_each_place_that_occurs():
    thresholds, hits, false = curve(np.array([4.0, 4.0, 1.0]), np.array([4.0, 0.0]))
    assert (thresholds.tolist(), hits.tolist(), false.tolist()) == (
        [4.0, 1.0, 0.0],
        [2, 3, 3],
        [1, 1, 2],
    )
    empty = curve(np.array([]), np.array([2.0]))
    assert [one.tolist() for one in empty] == [[2.0], [0], [1]]
    assert (above(np.array([1.0, 2.0, 3.0]), 2.0), above(np.array([]), 2.0)) == (2, 0)


def test_halves_deal_both_sides_and_leave_out_who_has_no_score():
    members = np.arange(11) < 5
    scores = [np.arange(11.0), np.where(np.arange(11) == 0, np.nan, 1.0)]
    first, (one, other) = halves(scores, members, rng=np.random.default_rng(0))
    assert (first[members].sum(), first[~members].sum()) == (2, 3)
    assert sorted([*one.inside[0], *one.outside[0]]) == np.flatnonzero(first).tolist()
    assert sorted([*other.inside[0], *other.outside[0]]) == np.flatnonzero(~first).tolist()
    assert len(one.inside[1]) + len(other.inside[1]) == 4
    assert [one.has(0), half(([], [1.0])).has(0), half(([1.0], [])).has(0)] == [True, False, False]


def naming(half, false_share):
    best, rule = (-1.0, -math.inf), None
    for a in asked(half):
        n, m = len(half.inside[a]), len(half.outside[a])
        rows = [
            (
                threshold,
                hits,
                (1 + false) / (1 + m) <= false_share * hits / n,
                hits - false * n / m - 2 * math.sqrt(hits + false + 1),
            )
            for threshold, hits, false in steps(half, a)
        ]
        counted = [row for row in rows if row[2]]
        most = float(max((row[1] for row in counted), default=0))
        chosen = max(counted or rows, key=lambda row: row[3])
        if (most, chosen[3]) > best:
            threshold = chosen[0] if counted else math.inf
            best, rule = (most, chosen[3]), HalvesRule(a, threshold)
    return rule


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("false_share", [0.01, 0.3, 0.6])
def test_the_naming_rule_is_that_of_plain_loops(seed, false_share):
    assert _naming_rule(drawn(seed), false_share) == naming(drawn(seed), false_share)


@pytest.mark.parametrize("seed", range(6))
def test_two_deviations_of_the_names_decide_between_thresholds(seed):
    rng = np.random.default_rng(seed)
    sides = [
        (rng.integers(0, 60, 80) + rng.integers(0, 30, 80), rng.integers(0, 60, 80))
        for _ in range(12)
    ]
    one = half(*sides)
    for false_share in (0.05, 0.4, 0.8):
        assert _naming_rule(one, false_share) == naming(one, false_share)


def test_who_is_named_may_be_wrong_just_as_often_as_promised():
    one = half(([2, 2] + [0] * 8, [0] * 9))  # (1 + 0) / (1 + 9) is half of 2 / 10
    assert _naming_rule(one, 0.5) == HalvesRule(0, 2.0)
    assert _naming_rule(one, 0.499) == HalvesRule(0, math.inf)


def test_as_few_are_named_rightly_as_the_others_allow():
    one = half(([2] * 60 + [0] * 40, [2] * 3 + [0] * 97))
    unexposed = most_unexposed(3, 100, 100, 0.05)
    assert 3 < unexposed < 60
    assert _rightly_named(one, HalvesRule(0, 2.0), 0.05) == 60 - unexposed
    assert _rightly_named(one, HalvesRule(0, math.inf), 0.05) == 0


def test_the_most_unexposed_members_are_those_of_plain_sums():
    def chance(v, false, members, others):
        ways = math.comb(members + others, v + false)
        return sum(
            math.comb(others, few) * math.comb(members, v + false - few) / ways
            for few in range(false + 1)
        )

    for false, members, others, error in [(0, 5, 5, 0.05), (2, 20, 30, 0.1), (4, 8, 40, 0.2)]:
        allowed = [v for v in range(members + 1) if chance(v, false, members, others) > error]
        assert most_unexposed(false, members, others, error) == max(allowed)
    assert most_unexposed(0, 0, 5, 0.05) == 0


def test_who_is_named_is_said_with_p_and_attack():
    members = np.arange(400) < 200
    scores = np.where(np.arange(400) < 50, 1000.0, 0.0) + np.arange(400) % 7
    flat = np.where(members, 0.0, np.nan)
    names = nameable([flat, scores], members, rng=np.random.default_rng(0), splits=5)
    assert sorted(names.rows.tolist()) == list(range(50))
    assert np.isnan(names.p[~members]).all() and (names.p[:50] == 1 / 101).all()
    assert (names.attacks == 1).all()
    nobody = nameable([flat], members, rng=np.random.default_rng(0), splits=3)
    assert (nobody.count.value, nobody.count.low) == (0, 0)
    assert (nobody.p[members] == 1).all() and (nobody.attacks == -1).all()
