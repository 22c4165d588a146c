"""Intervals: against SciPy, and their coverage counted out exactly."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, ttest_ind

from quintain.measures import Reading, average
from quintain.measures.intervals import (
    clopper_pearson,
    difference,
    mean_difference,
    normal_quantile,
    paired_difference,
    proportion,
)


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.95, math.sqrt(0.95), 0.999]))
def test_the_exact_interval_is_that_of_scipy(n, data, level):
    hits = data.draw(st.integers(0, n))
    expected = binomtest(hits, n).proportion_ci(confidence_level=level, method="exact")
    assert clopper_pearson(hits, n, level) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("n", [1, 7, 100])
def test_nothing_and_everything_reach_the_border(n):
    # With no hits the upper end solves (1 - p)**n = 0.025.
    low, high = clopper_pearson(0, n)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / n))
    assert clopper_pearson(n, n) == pytest.approx((1 - high, 1))


@settings(deadline=None)
@given(st.integers(1, 60), st.data())
def test_the_interval_holds_the_share_and_mirrors(n, data):
    hits = data.draw(st.integers(0, n))
    low, high = clopper_pearson(hits, n)
    assert 0 <= low <= hits / n <= high <= 1
    assert clopper_pearson(n - hits, n) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize("n", [1, 5, 20])
def test_the_exact_interval_covers_at_least_as_often_as_it_says(n):
    ends = np.array([clopper_pearson(hits, n) for hits in range(n + 1)])
    for p in np.linspace(0.01, 0.99, 50):
        covers = (ends[:, 0] <= p) & (p <= ends[:, 1])
        assert binom.pmf(np.arange(n + 1), n, p)[covers].sum() >= 0.95


def test_a_proportion_is_a_reading():
    reading = proportion(3, 12, "lower")
    assert (reading.value, reading.n, reading.better) == (0.25, 12, "lower")
    assert (reading.low, reading.high) == clopper_pearson(3, 12)
    assert reading.method == "Clopper-Pearson"


def test_a_proportion_of_nothing_is_not_measured():
    reading = proportion(0, 0, "lower")
    assert not reading.measured
    assert str(reading) == "not measured (nothing to count)"


def test_a_difference_is_a_reading():
    reading = difference(9, 10, 2, 8, "lower")
    assert reading.value == pytest.approx(0.9 - 0.25)
    assert reading.n == 18
    level = math.sqrt(0.95)
    low, high = clopper_pearson(9, 10, level)
    false_low, false_high = clopper_pearson(2, 8, level)
    assert (reading.low, reading.high) == (low - false_high, high - false_low)


def test_a_difference_without_one_of_its_classes_is_not_measured():
    for counts in ((0, 0, 3, 5), (3, 5, 0, 0)):
        reading = difference(*counts, "lower")
        assert not reading.measured
        assert reading.note == "all targets are of one class"


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 3), (8, 8), (4, 9)])
def test_the_interval_of_a_difference_covers_at_least_as_often_as_it_says(n, m):
    # Every outcome with its probability, over a grid of true shares.
    readings = [[difference(h, n, f, m, "lower") for f in range(m + 1)] for h in range(n + 1)]
    low = np.array([[reading.low for reading in row] for row in readings])
    high = np.array([[reading.high for reading in row] for row in readings])
    grid = np.linspace(0, 1, 21)
    hits, false = (binom.pmf(np.arange(k + 1), k, grid[:, None]) for k in (n, m))
    worst = 1.0
    for i, p in enumerate(grid):
        for j, q in enumerate(grid):
            covers = (low <= p - q + 1e-12) & (p - q - 1e-12 <= high)
            worst = min(worst, float((np.outer(hits[i], false[j]) * covers).sum()))
    assert worst >= 0.95


def exact(*values):
    return [Reading.exact(value, 10, "lower") for value in values]


def test_the_average_of_one_reading_is_that_reading():
    (reading,) = exact(0.3)
    assert average([reading]) is reading


def test_the_average_has_a_t_interval_over_the_repetitions():
    # Mean 0.4, standard deviation 0.2, t with two degrees of freedom 4.3027:
    # 4.3027 * 0.2 / sqrt(3) = 0.4968.
    reading = average(exact(0.2, 0.4, 0.6))
    assert reading.value == pytest.approx(0.4)
    assert reading.high - reading.value == pytest.approx(0.4968, abs=1e-4)
    assert reading.value - reading.low == pytest.approx(0.4968, abs=1e-4)
    assert (reading.n, reading.better) == (30, "lower")
    assert reading.method == "t over 3 repetitions"


def test_the_average_of_equal_exact_readings_has_no_width():
    reading = average(exact(0.25, 0.25, 0.25))
    assert reading.low == reading.value == reading.high == 0.25


def test_repetitions_that_agree_keep_the_mean_of_their_own_intervals():
    # Their spread is 0, which says nothing about how sure each of them is.
    readings = [
        Reading(value=0.5, low=0.25, high=0.75, n=4, better="lower", method="Wilson"),
        Reading(value=0.5, low=0.375, high=1.0, n=4, better="lower", method="Wilson"),
    ]
    reading = average(readings)
    assert (reading.low, reading.value, reading.high) == (0.3125, 0.5, 0.875)
    assert reading.method == "Wilson"


def test_repetitions_that_agree_keep_their_intervals_where_their_mean_is_rounded():
    # 0.1 + 0.1 + 0.1 is not three times 0.1; the difference is no spread.
    reading = average([Reading(value=0.1, low=0.0, high=0.3, n=5, better="lower")] * 3)
    assert (reading.low, reading.high) == pytest.approx((0.0, 0.3))
    assert reading.n == 15


def test_the_average_stays_within_what_the_measure_can_read():
    reading = average(exact(0.0, 1.0), within=(0.0, 1.0))
    assert (reading.low, reading.value, reading.high) == (0, 0.5, 1)
    assert average(exact(0.0, 1.0)).high > 1


def test_the_average_of_infinities_is_infinite():
    reading = average(exact(math.inf, 1.0))
    assert reading.low == reading.value == reading.high == math.inf


def test_one_repetition_that_was_not_measured_spoils_the_average():
    reading = average([*exact(0.5), Reading.missing("lower", "gone")])
    assert not reading.measured
    assert reading.note == "not measured in every repetition"


@pytest.mark.parametrize(
    ("reading", "shown"),
    [
        (Reading.exact(0.25, 4, "lower"), "0.25"),
        (Reading(value=1 / 3, low=0.1, high=0.5, n=4, better="lower"), "0.3333 [0.1, 0.5]"),
        (Reading.missing("higher", "no data"), "not measured (no data)"),
    ],
)
def test_a_reading_is_shown_with_its_interval(reading, shown):
    assert str(reading) == shown


def test_normal_intervals_reach_as_far_as_tables_say():
    assert normal_quantile(2) == 1.96
    assert normal_quantile(6) == 1.959964
    assert normal_quantile(4, level=0.99) == 2.5758


def test_cases_that_both_get_right_do_not_widen_a_paired_difference():
    gained, lost = (
        binomtest(k, 10).proportion_ci(confidence_level=0.975, method="exact") for k in (3, 1)
    )
    reading = paired_difference(3, 1, 10, "lower")
    assert reading.value == pytest.approx(0.2)
    assert reading.low == pytest.approx(gained.low - lost.high)
    assert reading.high == pytest.approx(gained.high - lost.low)
    assert not paired_difference(0, 0, 0, "lower").measured


@settings(deadline=None)
@given(st.integers(1, 50), st.data())
def test_a_paired_difference_turns_round_with_its_sides(n, data):
    gained = data.draw(st.integers(0, n))
    lost = data.draw(st.integers(0, n - gained))
    one = paired_difference(gained, lost, n, "lower")
    other = paired_difference(lost, gained, n, "lower")
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))


def test_a_reading_says_its_level_and_kind():
    reading = Reading(value=1, low=0, high=2, n=3, better="lower")
    assert (reading.level, reading.kind) == (0.95, "interval")
    bound = Reading.at_least(1.5, 10, "lower", method="counted", level=0.99)
    assert (bound.low, bound.high, bound.kind, bound.level) == (1.5, math.inf, "lower-bound", 0.99)
    assert str(bound) == "at least 1.5"


def test_a_mean_keeps_the_level_of_its_repetitions():
    # Two repetitions a and b: their mean +- t * |a - b| / 2, and t with 1 degree of freedom is
    # 12.706 at 95 % and 63.657 at 99 %.
    for level, reach in ((0.95, 12.7062), (0.99, 63.6567)):
        each = [
            Reading(value=v, low=v, high=v, n=5, better="lower", level=level) for v in (1.0, 1.2)
        ]
        mean = average(each)
        assert (mean.value, mean.level) == (pytest.approx(1.1), level)
        assert mean.high - mean.value == pytest.approx(0.1 * reach, rel=1e-5)


def test_bounds_of_several_repetitions_have_no_mean():
    bound = Reading.at_least(1.0, 10, "lower", method="counted")
    assert average([bound]) is bound
    assert average([bound, bound]).note == "bounds of several repetitions are not averaged"


def test_the_difference_of_means_is_that_of_welch():
    rng = np.random.default_rng(0)
    one, other = rng.random(30), rng.random(90) ** 2
    reading = mean_difference(one, other, "lower")
    welch = ttest_ind(one, other, equal_var=False).confidence_interval()
    assert (reading.low, reading.high) == pytest.approx((welch.low, welch.high))
    assert reading.value == pytest.approx(one.mean() - other.mean())


def test_groups_without_spread_have_a_difference_of_means():
    reading = mean_difference(np.ones(5), np.zeros(3), "lower")
    assert (reading.low, reading.value, reading.high) == (1, 1, 1)
    assert not mean_difference(np.ones(1), np.zeros(3), "lower").measured
