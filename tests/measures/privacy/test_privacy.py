"""Privacy measures: by hand, against scikit-learn, and against plain slow definitions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership
from quintain.measures import Case, reading_rng
from quintain.measures.intervals import clopper_pearson, difference
from quintain.measures.privacy.membership.auc import Auc, auc
from quintain.measures.privacy.membership.membership_advantage import MembershipAdvantage
from quintain.measures.privacy.membership.tpr_at_fpr import (
    TprAtFpr,
    TprAtFpr2,
    interval_at_fpr,
    named_members,
)

ANY = Schema(columns=(Column(name="x", kind="integer"),))
TRUTH = Membership().truth_schema(ANY)
GUESS = Membership().guess_schema(ANY)

quick = settings(deadline=None)


def case(members, probabilities):
    names = [f"t{i}" for i in range(len(members))]
    truth = Table.of(TRUTH, {"target": names, "member": [int(m) for m in members]})
    guess = Table.of(GUESS, {"target": names, "probability": probabilities})
    return Case(Truth(truth), Guess(guess))


@st.composite
def scored(draw, min_size=2):
    """Targets with scores on a coarse grid, so that ties are common; both classes occur."""
    size = draw(st.integers(min_size, 30))
    members = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    assume(any(members) and not all(members))
    levels = draw(st.sampled_from([1, 2, 4, 100]))
    scores = draw(st.lists(st.integers(0, levels), min_size=size, max_size=size))
    return np.array(members), np.array(scores) / levels


# --- membership advantage -------------------------------------------------------------------------


def advantage(*cases):
    return MembershipAdvantage().measure(cases, rng=reading_rng())["membership_advantage"]


def test_the_advantage_is_hits_less_false_alarms():
    # Members: 3 of 4 said to be in. Others: 1 of 5. 0.75 - 0.2 = 0.55.
    members = [1, 1, 1, 1, 0, 0, 0, 0, 0]
    reading = advantage(case(members, [0.9, 0.8, 0.7, 0.1, 0.6, 0.2, 0.1, 0, 0.4]))
    assert reading.value == pytest.approx(0.55)
    assert (reading.n, reading.better) == (9, "lower")
    expected = difference(3, 4, 1, 5, "lower")
    assert (reading.low, reading.high) == (expected.low, expected.high)


@pytest.mark.parametrize(
    ("probabilities", "value"),
    [([1, 1, 0, 0], 1), ([0, 0, 1, 1], -1), ([1, 1, 1, 1], 0), ([0, 0, 0, 0], 0)],
)
def test_perfect_inverted_and_constant_answers(probabilities, value):
    assert advantage(case([1, 1, 0, 0], probabilities)).value == value


def test_a_probability_of_one_half_is_not_said_to_be_in():
    assert advantage(case([1, 0], [0.5, 0.5])).value == 0
    assert advantage(case([1, 0], [0.5000001, 0.5])).value == 1


def test_repetitions_are_pooled():
    # Pooled 1/4 - 1/2; the mean of the two repetitions would be ((1 - 1) + (0 - 0)) / 2.
    reading = advantage(case([1, 0], [1, 1]), case([1, 1, 1, 0], [0, 0, 0, 0]))
    assert reading.value == pytest.approx(1 / 4 - 1 / 2)
    assert reading.n == 6


def test_the_order_of_a_guess_does_not_matter():
    one = case([1, 1, 0, 0], [0.9, 0.2, 0.7, 0.1])
    turned = Case(one.truth, Guess(one.guess.table.take([2, 0, 3, 1])))
    for measure in (MembershipAdvantage(), Auc(), TprAtFpr(fpr=0.5)):
        assert measure.measure([one], rng=reading_rng()) == measure.measure(
            [turned], rng=reading_rng()
        )


def test_without_members_or_without_others_there_is_no_advantage():
    for members in ([1, 1], [0, 0]):
        assert not advantage(case(members, [0.2, 0.9])).measured


# --- AUC ------------------------------------------------------------------------------------------


@quick
@given(scored())
def test_the_auc_is_that_of_scikit_learn(drawn):
    members, scores = drawn
    assert auc(members, scores).value == pytest.approx(roc_auc_score(members, scores))


@quick
@given(scored())
def test_the_auc_counts_pairs_with_ties_half(drawn):
    members, scores = drawn
    pairs = [
        1.0 if inside > outside else 0.5 if inside == outside else 0.0
        for inside in scores[members]
        for outside in scores[~members]
    ]
    assert auc(members, scores).value == pytest.approx(sum(pairs) / len(pairs))


@quick
@given(scored())
def test_turning_the_scores_around_mirrors_the_auc_and_its_interval(drawn):
    members, scores = drawn
    one, other = auc(members, scores), auc(members, -scores)
    assert other.value == pytest.approx(1 - one.value)
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low))


@quick
@given(scored())
def test_only_the_order_of_the_scores_counts(drawn):
    members, scores = drawn
    assert auc(members, np.exp(3 * scores) - 7) == auc(members, scores)


def slow_delong(members, scores):
    """The variance by its definition: placement values against every score of the other class."""

    def above(a, b):
        return 1.0 if a > b else 0.5 if a == b else 0.0

    inside, outside = scores[members], scores[~members]
    v10 = [np.mean([above(x, y) for y in outside]) for x in inside]
    v01 = [np.mean([above(x, y) for x in inside]) for y in outside]
    return np.var(v10, ddof=1) / len(v10) + np.var(v01, ddof=1) / len(v01)


@quick
@given(scored(min_size=4))
def test_the_interval_is_delongs(drawn):
    members, scores = drawn
    assume(members.sum() > 1 and (~members).sum() > 1)
    reading = auc(members, scores)
    assume(0 < reading.value < 1)
    half = 1.959964 * math.sqrt(slow_delong(members, scores))
    assert reading.low == pytest.approx(max(0, reading.value - half), abs=1e-9)
    assert reading.high == pytest.approx(min(1, reading.value + half), abs=1e-9)


def test_the_interval_by_hand():
    # Members 0.9 and 0.4, others 0.5 and 0.1. Placements 1, 1/2 and 1/2, 1, each of variance 1/8:
    # 1/8 / 2 + 1/8 / 2 = 1/8, and 1.96 * sqrt(1/8) = 0.693.
    reading = auc(np.array([True, True, False, False]), np.array([0.9, 0.4, 0.5, 0.1]))
    assert reading.value == 0.75
    assert reading.low == pytest.approx(0.75 - 0.693, abs=1e-3)
    assert reading.high == 1


@quick
@given(scored())
def test_the_interval_holds_the_value_and_stays_in_range(drawn):
    reading = auc(*drawn)
    assert 0 <= reading.low <= reading.value + 1e-12
    assert reading.value - 1e-12 <= reading.high <= 1


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    # Scores N(1, 1) against N(0, 1): the true AUC is Phi(1 / sqrt(2)) = 0.7602.
    rng, covered, repeats = np.random.default_rng(3), 0, 400
    members = np.arange(120) < 60
    for _ in range(repeats):
        reading = auc(members, rng.normal(members.astype(float)))
        covered += reading.low <= 0.7602 <= reading.high
    assert 0.91 < covered / repeats < 0.985


def test_a_perfect_order_of_few_targets_is_not_certain():
    # All placements are 1, without spread; three members out of three could be luck. The interval
    # is the exact one of the rarer class: 0.025 ** (1 / 3) = 0.292.
    members = np.arange(10) < 3
    reading = auc(members, members.astype(float))
    assert (reading.value, reading.high) == (1, 1)
    assert reading.low == pytest.approx(0.292, abs=1e-3)
    inverted = auc(~members, members.astype(float))
    assert (inverted.value, inverted.low) == (0, 0)
    assert inverted.high == pytest.approx(1 - 0.292, abs=1e-3)


def test_a_single_member_tells_little_however_many_others_there_are():
    # One placement has no spread of its own; it could have been anything from 0 to 1.
    scores = np.append(np.arange(100) / 100, 0.495)
    reading = auc(np.arange(101) == 100, scores)
    assert reading.value == 0.5
    assert reading.high - reading.low > 0.9


def test_several_repetitions_are_averaged_with_a_t_interval():
    # AUC 3/4, 1/2 and 1: mean 3/4, standard deviation 1/4, t with two degrees of freedom 4.3027:
    # 4.3027 / 4 / sqrt(3) = 0.621; what is over 1 is cut off.
    cases = [
        case([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1]),
        case([1, 0], [0.5, 0.5]),
        case([1, 0], [0.9, 0.1]),
    ]
    reading = Auc().measure(cases, rng=reading_rng())["auc"]
    assert reading.value == 0.75
    assert reading.low == pytest.approx(0.75 - 0.621, abs=1e-3)
    assert reading.high == 1


def test_one_class_alone_has_no_auc():
    reading = auc(np.array([True, True]), np.array([0.1, 0.9]))
    assert not reading.measured
    assert reading.note == "all targets are of one class"


# --- true positives at a low rate of false ones ---------------------------------------------------


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
    reading = TprAtFpr(fpr=0.5).measure(
        [case([1, 1, 1, 0, 0], [0.9, 0.5, 0.1, 0.5, 0.2])], rng=reading_rng()
    )
    reading = reading["tpr_at_fpr"]
    # One other may be named: everybody above 0.2, two of three members.
    assert reading.value == pytest.approx(2 / 3)
    assert (reading.low, reading.high) == clopper_pearson(2, 3)
    assert (reading.n, reading.better) == (3, "lower")


def test_without_members_there_is_nothing_to_name():
    reading = TprAtFpr().measure([case([0, 0], [0.1, 0.9])], rng=reading_rng())["tpr_at_fpr"]
    assert not reading.measured


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


def test_the_second_version_reads_the_same_share_with_a_longer_interval():
    rng = np.random.default_rng(3)
    for _ in range(20):
        members, scores = rng.random(60) < 0.5, rng.random(60).round(1)
        one = [case(members.astype(int).tolist(), scores.tolist())]
        first, second = (
            part.measure(one, rng=reading_rng())["tpr_at_fpr"] for part in (TprAtFpr(), TprAtFpr2())
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


def test_nothing_is_measured_by_the_second_version_without_members():
    one = [case([0, 0], [0.1, 0.9])]
    assert not TprAtFpr2().measure(one, rng=reading_rng())["tpr_at_fpr"].measured
