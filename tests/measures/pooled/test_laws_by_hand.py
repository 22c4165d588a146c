"""Laws behind the pooled tests: each against every labelling of a tiny pool, written out."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import hypergeom, norm

from quintain.measures.pooled import fold_test as folded
from quintain.measures.pooled.detectable import (
    _share_at,
    _unique_share,
    auc_beyond,
    smallest_auc,
    smallest_rate,
    smallest_share,
)
from quintain.measures.pooled.fold_test import (
    _auc_per_rank,
    _moments,
    fold_auc,
    fold_places,
    fold_test,
)
from quintain.measures.pooled.joint_test import (
    RATES,
    SHARES,
    STATISTICS,
    RankedScores,
    RankSumLaw,
    _summary,
    chance_of_hits,
    joint_test,
    log_choose,
    members_among,
    members_before,
)
from quintain.measures.pooled.tail_tests import (
    leading_members,
    repetition_chance,
    run_chance,
    shortest_run,
)


@pytest.mark.parametrize("members", [1, 2, 3])
@pytest.mark.parametrize(
    "ranks", [[1, 2, 3.0, 4], [1.5, 1.5, 3.5, 3.5], [1, 2.5, 2.5, 4, 5], [1.0, 2.5, 2.5], [1, 2, 3]]
)
def test_the_law_of_rank_sums_has_the_moments_of_all_labellings(ranks, members):
    law = RankSumLaw.of(np.array(ranks, float), members)
    sums = np.array([sum(chosen) for chosen in combinations(ranks, members)])
    spread = sums.std()
    if len(ranks) == members:
        assert law == RankSumLaw(0.0, 0.0, 0.0)
        return
    assert (law.mean, law.spread) == pytest.approx((sums.mean(), spread))
    assert law.skewness == pytest.approx(((sums - sums.mean()) ** 3).mean() / spread**3, abs=1e-12)


@pytest.mark.parametrize(
    ("ranks", "members"), [([1, 2.0], 1), ([2.0] * 4, 2), ([1.0, 2, 3], 0), ([1.0, 2, 3], 3)]
)
def test_where_all_sums_are_equal_or_too_few_there_is_no_law(ranks, members):
    law = RankSumLaw.of(np.array(ranks), members)
    assert law == RankSumLaw(0.0, 0.0, 0.0)
    assert law.scores(np.array([1.0, 9.0])).tolist() == [0.0, 0.0]


def test_a_skewed_sum_becomes_normal_by_the_cube_root():
    sums = np.array([3.0, 5.0, 9.0])
    assert RankSumLaw(5.0, 2.0, -0.5).scores(sums).tolist() == [-1.0, 0.0, 2.0]
    skewed = RankSumLaw(5.0, 2.0, 0.6).scores(sums)
    k = 4 / 0.6**2  # the shape of the gamma law with this skewness
    cube = [max(0.0, 1 + z / math.sqrt(k)) ** (1 / 3) for z in (-1.0, 0.0, 2.0)]
    expected = [(c - (1 - 1 / (9 * k))) / math.sqrt(1 / (9 * k)) for c in cube]
    assert skewed.tolist() == pytest.approx(expected)
    assert np.isfinite(RankSumLaw(5.0, 0.1, 1.0).scores(np.array([0.0]))).all()


def test_a_ranking_has_its_order_its_groups_and_its_members():
    scores = np.array([0.5, np.nan, 2.0, 0.5, 1.0])
    ranked = RankedScores.of(scores, np.array([True, True, False, False, True]))
    assert ranked.ranks.tolist() == [1.5, 0.0, 4.0, 1.5, 3.0]
    assert (ranked.order.tolist(), ranked.ends.tolist()) == ([2, 4, 0, 3], [1, 2, 4])
    assert (ranked.members, ranked.controls) == (2, 2)
    empty = RankedScores.of(np.array([np.nan]), np.array([True]))
    assert (empty.order.tolist(), empty.ends.tolist(), empty.members) == ([], [], 0)


def score_of(law):
    """Normal scores of the values of a law: half the mass of a value counts as above it."""
    law = np.asarray(law)
    return -norm.ppf([law[i + 1 :].sum() + law[i] / 2 for i in range(len(law))])


def test_members_at_the_top_have_the_law_of_all_orders():
    members, controls = 3, 4
    orders = [set(chosen) for chosen in combinations(range(7), members)]
    for top in (1, 3, 5):
        hits = [len(chosen & set(range(top))) for chosen in orders]
        law = [hits.count(h) / len(orders) for h in range(min(top, members) + 1)]
        expected = score_of(law)
        low = max(0, top - controls)
        assert members_among(top, members, controls)[low : min(top, members) + 1] == pytest.approx(
            expected[low:]
        )
    for limit in (0, 1, 3):
        before = []
        for chosen in orders:
            labels = [place in chosen for place in range(7)]
            controls_seen = hits = 0
            for is_member in labels:
                if not is_member and controls_seen == limit:
                    break
                controls_seen += not is_member
                hits += is_member
            before.append(hits)
        law = [before.count(h) / len(orders) for h in range(members + 1)]
        assert members_before(limit, members, controls) == pytest.approx(score_of(law))


def test_far_below_chance_scores_keep_their_digits():
    worst = members_among(60, 100, 100)[0]
    assert worst == pytest.approx(norm.ppf(hypergeom.pmf(0, 200, 100, 60) / 2))
    assert worst < -8


def hits_at_rate(scores, members, rate):
    """The members above the lowest threshold that so few controls reach; no group is split."""
    scored = ~np.isnan(scores)
    limit = math.floor(rate * (scored & ~members).sum() + 1e-9)
    hits = 0
    for threshold in np.unique(scores[scored])[::-1]:
        reach = scored & (scores >= threshold)
        if (reach & ~members).sum() > limit:
            break
        hits = int((reach & members).sum())
    return limit, hits


def hits_at_top(scores, members, share):
    """The members among the groups that end at the share, or near it; and how many people."""
    scored = ~np.isnan(scores)
    wanted = math.ceil(share * scored.sum())
    ends = [int((scores[scored] >= one).sum()) for one in np.unique(scores[scored])[::-1]]
    after = next((end for end in ends if end >= wanted), None)
    before = max((end for end in ends if end < wanted), default=None)
    end = after if after is not None and after <= 2 * wanted else before
    if end is None:
        return None
    top = np.sort(scores[scored])[::-1][end - 1]
    return end, int((members & scored & (scores >= top)).sum())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("digits", [0, 1, 4])
def test_what_is_counted_at_the_top_is_what_plain_loops_count(seed, digits):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(20, 900))
    scores = np.round(rng.normal(size=count) * rng.choice([1, 20]), digits)
    scores[rng.random(count) < 0.1] = np.nan
    labels = (rng.random((count, 4)) < 0.5).astype(np.uint8)
    scored = ~np.isnan(scores)
    labels[:, 1:] = rng.permuted(np.repeat(labels[:, :1], 3, axis=1), axis=0)
    for column in (1, 2, 3):  # as many scored members in each labelling
        labels[scored, column] = rng.permutation(labels[scored, 0])
    ranked = RankedScores.of(scores, labels[:, 0] == 1)
    found = ranked.statistics(labels, ranked.ranks @ labels)
    sizes = ranked.members, ranked.controls
    for number, row in enumerate(labels.T == 1):
        for place, rate in enumerate(RATES, start=1):
            limit, hits = hits_at_rate(scores, row, rate)
            assert found[number, place] == members_before(limit, *sizes)[hits]
        for place, share in enumerate(SHARES, start=1 + len(RATES)):
            top = hits_at_top(scores, row, share)
            expected = 0.0 if top is None else members_among(top[0], *sizes)[top[1]]
            assert found[number, place] == expected


def test_where_a_side_is_empty_no_statistic_says_anything():
    ranked = RankedScores.of(np.array([1.0, 2.0, 3.0]), np.array([True, True, True]))
    assert not ranked.statistics(np.ones((3, 2), np.uint8), np.array([6.0, 6.0])).any()
    none = RankedScores.of(np.array([1.0, 2.0, 3.0]), np.zeros(3, bool))
    assert not none.statistics(np.zeros((3, 2), np.uint8), np.zeros(2)).any()


@pytest.mark.parametrize(("hits", "false"), [(0, 0), (2, 1), (3, 0), (3, 4), (0, 2)])
def test_the_chance_of_hits_is_that_of_fisher(hits, false):
    expected = hypergeom.sf(hits - 1, 7, 3, hits + false)
    assert chance_of_hits(hits, false, 3, 4) == pytest.approx(expected)


def test_choices_that_there_are_not_have_no_chance():
    assert np.exp(log_choose(4, np.array([-1, 0, 2, 4, 5]))) == pytest.approx([0, 1, 6, 1, 0])


def test_the_observed_labels_are_compared_with_all():
    extremes = np.zeros((5, 2, len(STATISTICS)))
    extremes[:, 0, 0] = [1.0, 3.0, 1.0, 0.0, 0.5]
    extremes[:, 1, 1] = [2.0, 0.0, 2.5, 2.0, 1.0]
    test = _summary(extremes, 0.25)
    # The largest of each labelling: 2, 3, 2.5, 2, 1.
    assert (test.p, test.strongest, test.statistic) == (4 / 5, 1, STATISTICS[1])
    assert test.own == (3 / 5, 3 / 5)
    assert test.critical == pytest.approx(np.quantile([3, 2.5, 2, 1], 0.75))
    alone = _summary(extremes[:1], 0.25)
    assert (alone.p, alone.own, alone.critical) == (1.0, (1.0, 1.0), 0.0)


def test_the_observed_deal_is_compared_with_all():
    standard = np.zeros((2, len(folded.STATISTICS), 5))
    standard[0, 0] = [1.0, 3.0, 1.0, 0.0, 0.5]
    standard[1, 1] = [2.0, 0.0, 2.5, 2.0, 1.0]
    test = folded._summary(standard, 0.25, (0.5, 0.6), (0.1, 0.2))
    assert (test.p, test.strongest, test.statistic) == (4 / 5, 1, folded.STATISTICS[1])
    assert test.own == (3 / 5, 3 / 5)
    assert test.critical == pytest.approx(np.quantile([3, 2.5, 2, 1], 0.75))
    assert (test.auc, test.spread) == ((0.5, 0.6), (0.1, 0.2))
    alone = folded._summary(standard[:, :, :1], 0.25, (), ())
    assert (alone.p, alone.own, alone.critical) == (1.0, (1.0, 1.0), 0.0)


def test_without_attacks_nothing_is_seen():
    rng = np.random.default_rng(0)
    test = joint_test([], np.array([True, False]), rng=rng)
    assert (test.p, test.strongest, test.statistic, test.own, test.critical) == (
        1.0,
        0,
        STATISTICS[0],
        (),
        0.0,
    )
    none = fold_test([], np.array([0, 1]), rng=rng)
    assert (none.p, none.strongest, none.statistic, none.own) == (1.0, 0, folded.STATISTICS[0], ())
    assert (none.critical, none.auc, none.spread) == (0.0, (), ())


def test_sums_over_deals_have_the_moments_of_all_deals():
    rng = np.random.default_rng(1)
    places = rng.integers(0, 5, (2, 4, 2)).astype(float)
    sizes = np.array([1, 3])
    sums = np.array(
        [
            [place[alone, 0] + sum(place[other, 1] for other in range(4) if other != alone)]
            for place in places
            for alone in range(4)
        ]
    ).reshape(2, 4)
    means, spreads = _moments(places, sizes)
    assert means == pytest.approx(sums.mean(axis=1))
    assert spreads == pytest.approx(sums.std(axis=1))
    assert _moments(np.full((1, 4, 2), 0.1), sizes)[1].tolist() == [0.0]


def test_places_of_people_who_were_not_asked_are_the_average():
    scores = np.array([[5.0, np.nan], [5.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    ranks, one, ten = fold_places(scores)
    assert ranks[:, 0].tolist() == [2.5, 2.5, 1.0, 2.0]
    for seats in (one, ten):  # one seat of three, which the first two share
        assert seats[:, 0] == pytest.approx([0.5, 0.5, 0.0, 1 / 3], abs=1e-6)
    assert (fold_places(scores)[:, :, 1] == 0).all()


def test_the_auc_of_folds_and_what_one_rank_moves():
    folds = np.array([0, 0, 1, 1, 1])
    scores = np.array([[1.0, 9], [2, 9], [3, 1], [4, 9], [2, 2]])
    # Release 0: 5 1/2 of 6 pairs right. Release 1: 2, 2 and 1 of 2 for the three left out.
    assert fold_auc(scores, folds) == pytest.approx((5.5 / 6 + 5 / 6) / 2)
    moved = scores.copy()
    moved[1, 0] = 1.5  # one rank lower: half a place for it, half a place up for the equal one
    assert fold_auc(moved, folds) == pytest.approx((6 / 6 + 5 / 6) / 2)
    assert _auc_per_rank(scores, folds) == pytest.approx((1 / 6 + 1 / 6) / 2 / 2)
    unasked = np.array([[np.nan, 1.0], [np.nan, 2.0], [1.0, 3.0], [1.0, 4.0], [1.0, 5.0]])
    assert fold_auc(unasked, folds) == 0.0
    assert fold_auc(np.full((5, 2), np.nan), folds) == 0.5


def test_runs_of_members_have_the_chances_of_all_orders():
    orders = [set(chosen) for chosen in combinations(range(7), 3)]
    for run in range(5):
        leads = sum(set(range(run)) <= chosen for chosen in orders) / len(orders)
        assert run_chance(run, 3, 4) == pytest.approx(leads)
    assert [shortest_run(3, 4, level) for level in (0.5, 3 / 7, 0.1, 1 / 35, 0.02)] == [
        1,
        1,
        3,
        3,
        None,
    ]
    scores = np.array([2.0, 5.0, 2.0, 1.0])
    members = np.array([True, True, False, False])
    assert leading_members(scores, members) == 1  # who is equal does not lead
    assert leading_members(scores, np.ones(4, bool)) == 4


def test_the_chance_of_copies_is_that_of_one_urn():
    # Six people and four released records; the person is near one other.
    for copies in (1, 2, 3):
        law = hypergeom(10, 4, 2 + copies)
        expected = law.sf(copies - 1) / law.sf(0)
        assert repetition_chance(copies, 2, 6, 4) == pytest.approx(expected)
    assert repetition_chance(0, 2, 6, 4) == 1.0


def test_what_a_pool_can_see():
    assert smallest_auc(0, 5) == smallest_auc(5, 0) == 1.0
    spread = math.sqrt(11 / (12 * 4 * 6))
    reach = norm.ppf(0.95) + norm.ppf(0.8)
    assert smallest_auc(4, 6) == auc_beyond(spread) == min(1.0, 0.5 + reach * spread)
    assert auc_beyond(0.01) == pytest.approx(0.5 + reach * 0.01)
    assert not smallest_share(0, 5).measured and not smallest_share(5, 0).measured
    assert smallest_rate(0.2, 0, 5) == smallest_rate(0.2, 5, 0) == 1.0
    for chance in (0.01, 0.5):
        share = _share_at(chance, 200, 300, 2.0)
        rate = share + (1 - share) * chance
        both = (200 * rate + 300 * chance) / 500
        null = math.sqrt(both * (1 - both) * (1 / 200 + 1 / 300))
        own = math.sqrt(rate * (1 - rate) / 200 + chance * (1 - chance) / 300)
        assert rate - chance == pytest.approx(2.0 * null + norm.ppf(0.8) * own)
    usual = _share_at(0.2, 200, 300, norm.ppf(0.95))
    assert smallest_rate(0.2, 200, 300) == pytest.approx(0.2 + usual * 0.8)


def test_as_many_unique_people_as_lead_a_run_that_is_seen():
    # 1/2, 1/4 - a little, ...: with 100 and 100 the limit 2 (0.0228) needs a run of 6.
    limit = norm.ppf(1 - 0.0228)
    run = next(n for n in range(1, 100) if run_chance(n, 100, 100) <= norm.cdf(-limit))
    share = _unique_share(100, 100, limit)
    # At this share, at least ``run`` of 100 people are exposed in 8 of 10 pools.
    assert run == 6
    assert sum(
        math.comb(100, k) * share**k * (1 - share) ** (100 - k) for k in range(run, 101)
    ) == pytest.approx(0.8)
    assert _unique_share(3, 3, 9.0) == 1.0
    reading = smallest_share(200, 300, critical=2.5)
    low, high = _unique_share(200, 300, 2.5), _share_at(0.5, 200, 300, 2.5)
    assert (reading.low, reading.high, reading.n) == (low, high, 500)
    plain = smallest_share(200, 300)
    assert plain.low == _unique_share(200, 300, float(norm.ppf(0.95)))
