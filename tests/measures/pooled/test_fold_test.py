"""The test over folds: equal to its definition, exact where nothing leaks, and strong on copies."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.measures.pooled.fold_test import STATISTICS, fold_auc, fold_places, fold_test


def slow_extremes(scores, deals):
    """The largest standardised statistic of each deal, straight from the definition."""
    best = np.full(len(deals), -np.inf)
    for attack in scores:
        for places in fold_places(attack):
            sums = np.array(
                [-sum(places[i, fold] for i, fold in enumerate(deal)) for deal in deals]
            )
            spread = sums.std()
            standard = (sums - sums.mean()) / spread if spread > 1e-9 else np.zeros(len(sums))
            best = np.maximum(best, standard)
    return best


def slow_ranks(scores):
    """Ranks in each release from the bottom; equal scores share the average."""
    out = np.empty(scores.shape)
    for j in range(scores.shape[1]):
        for i, score in enumerate(scores[:, j]):
            out[i, j] = (scores[:, j] < score).sum() + ((scores[:, j] == score).sum() + 1) / 2
    return out


def every_deal(folds):
    """All different deals into folds of these sizes."""
    return sorted(set(permutations(folds.tolist())))


matrices = st.integers(0, 2**32 - 1).map(
    lambda seed: [
        np.random.default_rng(seed).integers(0, spread, (6, 3)).astype(float) for spread in (3, 40)
    ]
)


@settings(max_examples=15, deadline=None)
@given(matrices)
def test_over_all_deals_p_is_exact(scores):
    """If folds mean nothing, at most a share a of all deals has a p-value of at most a."""
    folds = np.array([0, 0, 1, 1, 2, 2])
    deals = every_deal(folds)
    extremes = slow_extremes(scores, deals)
    exact = np.array([(extremes >= extreme - 1e-9).mean() for extreme in extremes])
    for level in np.unique(exact):
        assert (exact <= level + 1e-12).mean() <= level + 1e-12
    # The permuted deals of the test estimate this p; 4,000 of them are within 5 errors of it.
    chosen = deals[int(extremes.argmax())]
    test = fold_test(scores, np.array(chosen), rng=np.random.default_rng(0), permutations=3999)
    assert test.p == pytest.approx(exact.min(), abs=5 * 0.5 / 4000**0.5)


def test_the_statistic_is_its_definition():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 30, (60, 4)).astype(float)
    folds = rng.permutation(60) % 4
    np.testing.assert_array_equal(fold_places(scores)[0], slow_ranks(scores))
    deals = [folds, *(rng.permutation(folds) for _ in range(199))]
    slow = slow_extremes([scores], deals)
    test = fold_test([scores], folds, rng=np.random.default_rng(2), permutations=999)
    # The reference standardises by 200 deals, the test by all of them.
    assert test.p == pytest.approx((slow >= slow[0] - 1e-9).mean(), abs=0.12)
    aucs = []
    for j in range(4):
        inside, outside = scores[folds != j, j], scores[folds == j, j]
        above = inside[:, None] > outside
        aucs.append((above + 0.5 * (inside[:, None] == outside)).mean())
    assert test.auc[0] == pytest.approx(np.mean(aucs))


def test_mean_and_spread_are_those_of_all_deals():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, (6, 3)).astype(float)
    folds = np.array([0, 0, 1, 1, 2, 2])
    every = [fold_auc(scores, np.array(deal)) for deal in every_deal(folds)]
    test = fold_test([scores], folds, rng=rng, permutations=9)
    assert np.mean(every) == pytest.approx(0.5)
    assert test.spread[0] == pytest.approx(np.std(every))


def test_nulls_that_share_their_releases_raise_no_more_alarms():
    """100 deals of one set of releases: at most 5 % alarms, five standard errors allowed."""
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(50, 1)) + 0.1 * rng.normal(size=(50, 5))
    scores = [shared, np.repeat(shared[:, :1], 5, axis=1), rng.integers(0, 2, (50, 5)) * 1.0]
    alarms = sum(
        fold_test(scores, rng.permutation(50) % 5, rng=rng, permutations=99).p <= 0.05
        for _ in range(100)
    )
    assert alarms <= 100 * 0.05 + 5 * (100 * 0.05 * 0.95) ** 0.5


def test_copies_of_few_people_are_seen():
    """One person in fifty is at the top of every release that saw them."""
    rng = np.random.default_rng(5)
    folds = rng.permutation(500) % 5
    scores = rng.normal(size=(500, 5))
    scores[:10] += 9 * (folds[:10, None] != np.arange(5))
    test = fold_test([rng.normal(size=(500, 5)), scores], folds, rng=rng)
    assert test.p == 0.001
    assert test.strongest == 1
    assert test.statistic in STATISTICS[1:]


def test_who_was_not_asked_has_no_part_in_it():
    rng = np.random.default_rng(6)
    folds = rng.permutation(200) % 4
    scores = rng.normal(size=(200, 4))
    scores[np.arange(200), folds] -= 2
    asked = np.where(rng.random(scores.shape) < 0.7, scores, np.nan)
    test = fold_test([asked], folds, rng=rng, permutations=199)
    assert test.p == 1 / 200
    assert test.auc[0] == pytest.approx(fold_auc(scores, folds), abs=0.05)
    silent = fold_test([np.full((200, 4), np.nan)], folds, rng=rng, permutations=19)
    assert (silent.p, silent.auc, silent.spread) == (1.0, (0.5,), (0.0,))


def test_without_attacks_nothing_is_found():
    assert fold_test([], np.array([0, 1]), rng=np.random.default_rng(0)).p == 1.0
