"""The AUC: by hand, against scikit-learn, and against plain slow definitions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.metrics import roc_auc_score

from quintain.measures import reading_rng
from quintain.measures.privacy.roc_curve import Auc, auc
from tests.measures.privacy.membership_cases import case, quick, scored


@pytest.mark.slow
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
