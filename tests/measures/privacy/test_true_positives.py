"""True positives at a low rate of false ones: by hand and against a slow definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from quintain.measures import reading_rng
from quintain.measures.intervals import clopper_pearson
from quintain.measures.privacy.roc_curve import (
    TprAtFpr,
    interval_at_fpr,
    named_members,
    tpr_on_line,
)
from tests.measures.privacy.membership_cases import case, quick, scored


def slow_named(members, scores, fpr):
    """The best of all thresholds that name at most ``fpr`` of the others."""
    best = 0
    for threshold in [*scores, math.inf]:
        named = scores >= threshold
        if (named & ~members).sum() <= fpr * (~members).sum() + 1e-9:
            best = max(best, int((named & members).sum()))
    return best


@quick
@given(scored(), st.sampled_from([0.01, 0.1, 0.25, 1 / 3, 0.5, 0.9, 0.99]))
def test_members_are_named_as_the_best_threshold_names_them(drawn, fpr):
    members, scores = drawn
    assert named_members(members, scores, fpr) == slow_named(members, scores, fpr)


def test_a_share_of_the_others_is_not_lost_to_rounding():
    # 0.29 * 100 is 28.999999999999996 in floating point; 29 others may be named, and the best
    # member that is left stands between the 29th and the 30th.
    members = np.arange(101) == 100
    scores = np.append(np.arange(100) / 100, 0.705)
    assert named_members(members, scores, 0.29) == 1
    assert named_members(members, scores, 0.28) == 0


def test_ten_percent_of_ten_others_is_one_of_them():
    # The second best of the others scores 0.6.
    members = np.array([True] * 3 + [False] * 10)
    scores = np.array([0.9, 0.7, 0.5, 0.8, 0.6, 0.4, 0.3, 0.2, 0.1, 0, 0, 0, 0])
    assert named_members(members, scores, 0.1) == 2
    assert named_members(members, scores, 0.099) == 1


def test_tied_scores_are_named_together_or_not_at_all():
    # Naming 0.5 would name half of the others.
    members = np.array([True, True, True, False, False])
    scores = np.array([0.9, 0.5, 0.5, 0.5, 0.1])
    assert named_members(members, scores, 0.1) == 1
    assert named_members(members, scores, 0.5) == 3


def test_a_constant_score_names_nobody():
    assert named_members(np.arange(10) < 5, np.full(10, 0.7), 0.1) == 0


@quick
@given(scored(), st.floats(0.01, 0.98), st.floats(0.001, 0.5))
def test_more_false_alarms_never_name_fewer_members(drawn, fpr, more):
    members, scores = drawn
    wider = min(0.99, fpr + more)
    assert named_members(members, scores, fpr) <= named_members(members, scores, wider)


def test_the_share_of_members_comes_with_its_exact_interval():
    reading = TprAtFpr(fpr=0.5, threshold="given").measure(
        [case([1, 1, 1, 0, 0], [0.9, 0.5, 0.1, 0.5, 0.2])], rng=reading_rng()
    )
    reading = reading["tpr_at_fpr"]
    # One other may be named: everybody above 0.2, two of three members.
    assert reading.value == pytest.approx(2 / 3)
    assert (reading.low, reading.high) == clopper_pearson(2, 3)
    assert (reading.n, reading.better) == (3, "lower")


def test_without_members_there_is_nothing_to_name():
    for threshold in ("learned", "given"):
        part = TprAtFpr(threshold=threshold)
        assert not part.measure([case([0, 0], [0.1, 0.9])], rng=reading_rng())[
            "tpr_at_fpr"
        ].measured


def test_without_others_nobody_can_be_named_falsely_and_nothing_is_measured():
    reading = TprAtFpr().measure([case([1, 1], [0.0, 0.0])], rng=reading_rng())["tpr_at_fpr"]
    assert not reading.measured
    assert reading.note == "all targets are of one class"


def test_the_shares_of_several_repetitions_are_averaged():
    # 1 of 2, then 2 of 2 members above all others: the mean is 3/4, not pooled.
    cases = [case([1, 1, 0], [0.9, 0.1, 0.5]), case([1, 1, 0], [0.9, 0.8, 0.5])]
    reading = TprAtFpr().measure(cases, rng=reading_rng())["tpr_at_fpr"]
    assert (reading.value, reading.n) == (0.75, 4)
    assert reading.method == "t over 2 repetitions"


def test_a_learned_threshold_gives_the_same_share_with_a_longer_interval():
    rng = np.random.default_rng(3)
    for _ in range(20):
        members, scores = rng.random(60) < 0.5, rng.random(60).round(1)
        one = [case(members.astype(int).tolist(), scores.tolist())]
        first, second = (
            part.measure(one, rng=reading_rng())["tpr_at_fpr"]
            for part in (TprAtFpr(threshold="given"), TprAtFpr())
        )
        assert first.value == second.value
        assert second.low <= first.low <= first.high <= second.high
        assert first.method == "Clopper-Pearson, given the threshold"
        assert second.method == "Clopper-Pearson, over likely thresholds"


def test_the_interval_over_likely_thresholds_covers_the_truth_where_the_shorter_one_does_not():
    # Scores of members are normal about 1, of others about 0: of members, the share
    # P(N(1, 1) > 1.2816) = 0.3891 is above the threshold that one in ten others passes.
    truth = norm.sf(norm.isf(0.1) - 1)
    assert truth == pytest.approx(0.3891, abs=1e-4)
    members = np.arange(400) < 300  # many members: the doubt is about the threshold
    covered = np.zeros(2)
    for seed in range(300):
        scores = np.random.default_rng(seed).normal(members.astype(float))
        hits = named_members(members, scores, 0.1)
        for version, (low, high) in enumerate(
            (clopper_pearson(hits, 300), interval_at_fpr(members, scores, 0.1))
        ):
            covered[version] += low <= truth <= high
    assert covered[0] < 0.75 * 300
    assert covered[1] >= 0.95 * 300


def test_with_few_others_the_threshold_may_be_anywhere_above():
    # Of 4 others none may be named at 10 %: the right threshold may be above all members.
    low, high = interval_at_fpr(np.arange(8) < 4, np.arange(8)[::-1] / 8, 0.1)
    assert (low, high) == (0.0, 1.0)


def test_between_two_steps_the_rate_lies_on_a_line_by_hand():
    # Of 50 others none may be named at a rate of .01, which names 1 member of 4. The best of the
    # others, tied with a second member, is the next step: rate .02, 2 members. Half of the way is
    # 1/4 + 1/8.
    members = np.array([True] * 4 + [False] * 50)
    scores = np.array([0.9, 0.8, 0.3, 0.1, 0.8, *np.linspace(0.0, 0.2, 49)])
    assert named_members(members, scores, 0.01) == 1
    assert tpr_on_line(members, scores, 0.01) == pytest.approx(0.375)
    (reading,) = (
        TprAtFpr(fpr=0.01, interpolated=True)
        .measure([case(members, scores)], rng=reading_rng())
        .values()
    )
    assert reading.value == pytest.approx(0.375) and reading.n == 4
    assert reading.low <= 0.375 <= reading.high


@quick
@given(scored(), st.sampled_from([0.01, 0.1, 0.25, 1 / 3, 0.5, 0.9]))
def test_the_line_is_that_of_scikit_learn(drawn, fpr):
    from sklearn.metrics import roc_curve

    members, scores = drawn
    false, true, _ = roc_curve(members, scores, drop_intermediate=False)
    assert tpr_on_line(members, scores, fpr) == pytest.approx(np.interp(fpr, false, true))
    step = named_members(members, scores, fpr) / members.sum()
    assert tpr_on_line(members, scores, fpr) >= step - 1e-9


@pytest.mark.parametrize("threshold", ["learned", "given"])
@quick
@given(drawn=scored())
def test_the_interval_holds_the_rate_on_the_line(threshold, drawn):
    part = TprAtFpr(fpr=0.05, threshold=threshold, interpolated=True)
    reading = part.measure([case(*drawn)], rng=reading_rng())["tpr_at_fpr"]
    assert reading.low <= reading.value <= reading.high


def test_rules_without_the_option_are_written_as_before():
    assert TprAtFpr(fpr=0.1).parameters() == {"fpr": 0.1, "threshold": "learned"}
