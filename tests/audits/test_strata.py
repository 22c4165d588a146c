"""Strata of people who are equally probably in the original."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.audits.checks.control import ControlCheck, doubt_control
from quintain.audits.checks.strata import STRATA, PropensityFeatures, propensity_strata
from quintain.audits.results import ControlDrift
from quintain.audits.verdict import Effects, Judgement
from quintain.data import Column, Schema, Table
from quintain.measures import Reading

SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="pay", kind="real", nullable=True),
    )
)


def people(seed, rows=600):
    """People, of whom the older ones are more often members."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, rows)
    pay = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows))
    table = Table(SCHEMA, {"age": age, "sex": rng.integers(0, 2, rows), "pay": pay})
    return table, rng.random(rows) < 1 / (1 + np.exp(-(age - 50) / 15))


def test_members_and_others_of_a_stratum_are_alike():
    table, members = people(0)
    strata, age = propensity_strata(table, members), table.numbers("age")
    far = age[members].mean() - age[~members].mean()
    inside = [
        age[members & (strata == one)].mean() - age[~members & (strata == one)].mean()
        for one in range(1, STRATA - 1)
    ]
    assert far > 20
    assert abs(np.mean(inside)) < 3


@given(st.integers(0, 100))
def test_the_order_of_people_does_not_matter(seed):
    table, members = people(seed, 60)
    order = np.random.default_rng(seed).permutation(60)
    strata = propensity_strata(table, members)
    again = propensity_strata(table.take(order), members[order])
    # Sums in another order differ in their last bits, which may move one person across a border.
    assert (strata[order] != again).sum() <= 2


def test_all_records_of_a_person_are_in_one_stratum():
    table, members = people(1, 300)
    person = np.arange(300) // 3
    strata = propensity_strata(table, np.repeat(members[::3], 3), person)
    assert strata.shape == (100,)
    assert set(strata) == set(range(STRATA))


def test_people_who_are_all_alike_are_one_stratum():
    table = people(2, 50)[0]
    same = table.take(np.zeros(50, int))
    assert set(propensity_strata(same, np.arange(50) < 25)) == {0}


@pytest.mark.parametrize(
    ("p", "alike", "drift", "alarms", "verdict"),
    [
        (0.001, 0.001, {}, (), "some-leakage"),
        (0.02, 0.4, {}, (), "cannot-say"),
        (0.001, 0.4, {}, (), "some-leakage"),
        (0.02, 0.4, {}, ("Ten people are laid bare.",), "some-leakage"),
        (0.001, 0.001, {"age": 0.2}, (), "some-leakage"),
        (0.001, 0.001, {"age": 0.6}, (), "cannot-say"),
        (0.001, 0.4, {"age": 0.2}, (), "cannot-say"),
        (0.1, None, {"age": 0.2}, ("Ten people are laid bare.",), "some-leakage"),
        (0.1, None, {"age": 0.6}, ("Ten people are laid bare.",), "cannot-say"),
    ],
)
def test_an_alarm_counts_if_it_is_seen_among_people_who_look_alike(
    p, alike, drift, alarms, verdict
):
    nothing = Reading.missing("lower", "not here")
    effects = Effects(p, 500, nothing, nothing, nothing, alarms=alarms, p_alike=alike)
    seen = ("The attacks told people apart.",)
    judged = Judgement("some-leakage", ("The effect is small.",), (), seen)
    differing = ControlDrift(p=0.01, level=0.04, columns=drift, auc=nothing)
    doubted = doubt_control(judged, effects, ControlCheck(nothing, differing))
    assert doubted.verdict == verdict
    if verdict != "cannot-say":
        assert doubted.reasons == judged.reasons and not doubted.doubt
        return
    # The rest is not said as if it were true.
    assert doubted.reasons[1:] == (f"If the control was drawn at random: {seen[0]}",)
    assert doubted.doubt


def dense_features(table):
    """All features of all people, one array each."""
    every = []
    for column in table.schema.attributes:
        if column.kind == "category":
            codes = table.columns[column.name]
            common = [code for code in np.unique(codes) if (codes == code).sum() >= 10]
            every += [codes == code for code in common]
        else:
            numbers = table.numbers(column.name)
            missing = np.isnan(numbers)
            numbers = np.where(missing, numbers[~missing].mean(), numbers)
            numbers = (numbers - numbers.mean()) / numbers.std()
            every += [numbers, numbers**2, missing]
    return np.column_stack([stratum for stratum in every if stratum.min() < stratum.max()])


@pytest.mark.parametrize("rows", [15, 200])
def test_features_of_some_people_are_those_of_all(rows):
    table, _ = people(2, rows)
    features, dense = PropensityFeatures.of(table), dense_features(table)
    assert features.shape == dense.shape
    for some in (slice(None), slice(0, 7), slice(10, 4096)):
        np.testing.assert_allclose(features[some], dense[some], rtol=1e-6)
