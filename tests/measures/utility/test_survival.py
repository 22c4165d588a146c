"""Survival: curves and coefficients by hand, as published, and against slow definitions."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.measures import reading_rng
from quintain.measures.utility.table.cox import Cox, _Likelihood, fit_cox
from quintain.measures.utility.table.kaplan_meier import (
    KaplanMeier,
    SurvivalCurve,
    curve_distance,
    kaplan_meier,
)

# Freireich et al. (1963): weeks of remission of 42 children; minus means still in remission.
PLACEBO = [1, 22, 3, 12, 8, 17, 2, 11, 8, 12, 2, 5, 4, 15, 8, 23, 5, 11, 4, 1, 8]
DRUG = [10, 7, -32, 23, 22, 6, 16, -34, -32, -25, -11, -20, -19, 6, -17, -35, 6, 13, -9, -6, -10]
WEEKS = np.abs([*PLACEBO, *DRUG]).astype(float)
RELAPSE = np.array([*PLACEBO, *DRUG]) > 0
ON_PLACEBO = np.repeat([1.0, 0.0], 21)[:, None]


def test_the_curve_of_the_drug_is_the_published_one():
    # Kaplan-Meier estimates of the 6-MP group, as in Kleinbaum and Klein, Survival Analysis.
    curve = kaplan_meier(WEEKS[21:], RELAPSE[21:])
    assert curve.times.tolist() == [6, 7, 10, 13, 16, 22, 23]
    published = [0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482]
    assert curve.shares.round(4).tolist() == published


def test_the_curve_of_the_placebo_falls_by_the_share_of_all():
    curve = kaplan_meier(WEEKS[:21], RELAPSE[:21])
    for moment in curve.times:
        assert curve.at(np.array([moment]))[0] == pytest.approx((WEEKS[:21] > moment).mean())
    assert curve.shares[-1] == pytest.approx(0)


def test_the_coefficient_of_the_placebo_is_the_published_one():
    # coxph of R with Efron's account of ties: 1.572, standard error 0.412.
    fit = fit_cox(WEEKS, RELAPSE, ON_PLACEBO)
    assert fit.coefficients[0] == pytest.approx(1.572, abs=5e-4)
    assert fit.errors[0] == pytest.approx(0.412, abs=5e-4)


def test_the_example_of_therneau_and_grambsch_by_hand():
    # With r = exp(b): score 2 - r/(r+1) - r/(r+3) - r/(r+5), so r^3 - 23 r - 30 = 0.
    time, event = np.array([1.0, 1, 6, 6, 8, 9]), np.array([1, 0, 1, 1, 0, 1]) == 1
    fit = fit_cox(time, event, np.array([1.0, 1, 1, 0, 0, 0])[:, None])
    r = math.exp(fit.coefficients[0])
    assert r**3 - 23 * r - 30 == pytest.approx(0, abs=1e-6)
    likelihood = 2 * math.log(r) - math.log(3 * r + 3) - math.log((r + 5) / 2) - math.log(r + 3)
    assert fit.likelihood == pytest.approx(likelihood)
    shares = [r / (r + 1), r / (r + 3), r / (r + 5)]
    information = sum(share - share**2 for share in shares)
    assert fit.errors[0] == pytest.approx(1 / math.sqrt(information))


def slow_likelihood(time, event, x, b):
    """Efron's partial likelihood, one event after another."""
    weight, total = np.exp(x @ b), 0.0
    for moment in np.unique(time[event]):
        at_risk, dead = weight[time >= moment].sum(), event & (time == moment)
        for i in range(dead.sum()):
            total -= math.log(at_risk - i / dead.sum() * weight[dead].sum())
        total += float((x[dead] @ b).sum())
    return total


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000))
def test_the_likelihood_and_its_derivatives_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 30)), int(rng.integers(1, 4))
    time, event = rng.integers(0, 6, n).astype(float), rng.random(n) < 0.7
    assume(event.any())
    x, b = rng.normal(size=(n, p)), rng.normal(size=p)
    likelihood, gradient, information = _Likelihood(time, event, x).at(b)
    assert likelihood == pytest.approx(slow_likelihood(time, event, x, b))
    small = 1e-5 * np.eye(p)
    slow = [
        (slow_likelihood(time, event, x, b + h) - slow_likelihood(time, event, x, b - h)) / 2e-5
        for h in small
    ]
    assert gradient == pytest.approx(slow, abs=1e-4)
    up, down = (
        np.array([_Likelihood(time, event, x).at(b + sign * h)[1] for h in small])
        for sign in (1, -1)
    )
    assert information == pytest.approx(-(up - down) / 2e-5, abs=1e-4)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=30),
    st.integers(0, 9),
)
def test_the_curve_is_a_product_over_the_times_before(people, moment):
    time = np.array([t for t, _ in people], float)
    event = np.array([e for _, e in people])
    share = 1.0
    for when in range(moment + 1):
        at_risk = int((time >= when).sum())
        if at_risk:
            share *= 1 - int((event & (time == when)).sum()) / at_risk
    assert kaplan_meier(time, event).at(np.array([float(moment)]))[0] == pytest.approx(share)


def test_the_distance_of_two_curves_by_hand():
    # 1 until 2, then .5; against 1 until 3, then 0: apart by .5 from 2 to 3 and from 3 to 10.
    one = SurvivalCurve(np.array([2.0]), np.array([0.5]))
    other = SurvivalCurve(np.array([3.0]), np.array([0.0]))
    assert curve_distance(one, other, (0, 10)) == pytest.approx((0.5 * 1 + 0.5 * 7) / 10)
    assert curve_distance(one, other, (0, 2)) == 0


PATIENTS = Schema(
    columns=(
        Column(name="weeks", kind="integer", low=0, high=60, nullable=True),
        Column(name="relapse", kind="integer", low=0, high=1),
        Column(name="arm", kind="category", values=("drug", "placebo")),
        Column(name="age", kind="real"),
        Column(name="day", kind="time"),
    )
)
COLUMNS = {"time": "weeks", "event": "relapse"}


def patients(weeks=WEEKS, relapse=RELAPSE, arm=ON_PLACEBO[:, 0], seed=0):
    n = len(weeks)
    age = np.random.default_rng(seed).normal(10, 3, n)
    columns = {"weeks": weeks, "relapse": relapse, "arm": arm, "age": age, "day": np.zeros(n)}
    return Table(PATIENTS, {name: np.asarray(one) for name, one in columns.items()})


def test_a_release_equal_to_the_original_loses_nothing():
    part = Cox(**COLUMNS, covariates=("arm", "age"))
    readings = part.measure(patients(), patients(), None, rng=reading_rng())
    assert [reading.value for reading in readings.values()] == pytest.approx([0, 1, 1])
    curves = KaplanMeier(**COLUMNS, group="arm").measure(
        patients(), patients(), None, rng=reading_rng()
    )
    assert [reading.value for reading in curves.values()] == [0, 0]
    assert all(reading.n == 84 for reading in (*readings.values(), *curves.values()))


def test_exchanging_the_arms_turns_the_coefficient_around():
    turned = patients(arm=1 - ON_PLACEBO[:, 0])
    readings = Cox(**COLUMNS, covariates=("arm",)).measure(
        patients(), turned, None, rng=reading_rng()
    )
    assert readings["cox_difference"].value == pytest.approx(2 * 1.57212515)
    assert readings["cox_signs"].value == 0
    assert readings["cox_overlap"].value == 0
    curves = KaplanMeier(**COLUMNS, group="arm", until=35).measure(
        patients(), turned, None, rng=reading_rng()
    )
    distance = curve_distance(
        kaplan_meier(WEEKS[:21], RELAPSE[:21]), kaplan_meier(WEEKS[21:], RELAPSE[21:]), (0, 35)
    )
    assert curves["km_distance"].value == pytest.approx(distance)
    assert curves["km_distance_worst"].value == pytest.approx(distance)
    assert curves["km_distance"].low < distance < curves["km_distance"].high


def test_records_without_a_time_are_left_out():
    weeks = np.append(WEEKS, [-1] * 5)  # the code of a missing number
    more = patients(weeks, np.append(RELAPSE, [1] * 5), np.append(ON_PLACEBO[:, 0], [1] * 5))
    reading = KaplanMeier(**COLUMNS).measure(patients(), more, None, rng=reading_rng())
    assert reading["km_distance"].value == 0
    assert reading["km_distance"].n == 84


@pytest.mark.parametrize(
    ("release", "words"),
    [
        (patients(relapse=np.zeros(42)), "no event happened in the release: everybody is censored"),
        (patients().take(np.arange(4)), "4 records of the release have a time and an event"),
    ],
)
def test_too_little_to_compare_is_said_in_words(release, words):
    for part in (KaplanMeier(**COLUMNS), Cox(**COLUMNS, covariates=("arm",))):
        readings = part.measure(patients(), release, None, rng=reading_rng())
        assert all(words in reading.note for reading in readings.values())


def test_a_release_without_one_arm_has_no_curve_and_no_coefficient_of_it():
    release = patients(arm=np.zeros(42))
    curves = KaplanMeier(**COLUMNS, group="arm").measure(
        patients(), release, None, rng=reading_rng()
    )
    expected = "arm = placebo has 21 records in the original and 0 in the release; at least 10"
    assert curves["km_distance"].note.startswith(expected)
    model = Cox(**COLUMNS, covariates=("arm",)).measure(
        patients(), release, None, rng=reading_rng()
    )
    assert model["cox_overlap"].note.startswith(
        "no model of the release can be fitted: a covariate"
    )


def test_a_covariate_that_decides_everything_has_no_coefficient():
    time, early = np.arange(1.0, 21), (np.arange(20) < 10)[:, None].astype(float)
    with pytest.raises(PartError, match="decides"):
        fit_cox(time, np.ones(20, bool), early)
    with pytest.raises(PartError, match="two covariates say the same"):
        fit_cox(WEEKS, RELAPSE, np.hstack([ON_PLACEBO, ON_PLACEBO]))


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (KaplanMeier(time="week", event="relapse"), "unknown column 'week'"),
        (KaplanMeier(time="arm", event="relapse"), "the time 'arm' must be a number"),
        (KaplanMeier(time="weeks", event="age"), "must be a category, or a whole number from 0"),
        (KaplanMeier(time="age", event="arm"), "'arm' has no value '1' that says"),
        (KaplanMeier(**COLUMNS, group="age"), "the group 'age' must be a category"),
        (Cox(**COLUMNS, covariates=("weeks",)), "is time or event"),
        (Cox(**COLUMNS, covariates=("day",)), "must be a number or a category"),
    ],
)
def test_columns_that_do_not_fit_are_refused_before_anything_is_measured(part, words):
    assert words in part.refusal(PATIENTS)
