"""Original and control, compared without a release: false alarms, power, and what is said of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from quintain.audits.checks.control import ControlCheck, check_control
from quintain.audits.checks.drift import LEVEL, measure_drift, rank_test, shift_power, tell_apart
from quintain.data import Column, Schema, Table
from quintain.measures import Reading
from tests.audits.audit_tables import people

NUMBERS = st.lists(st.integers(0, 8).map(float), min_size=2, max_size=30)


@given(NUMBERS, NUMBERS)
def test_the_rank_test_is_that_of_mann_and_whitney(one, other):
    both = {*one, *other}
    p = rank_test(np.array([*one, np.nan]), np.array(other))
    if len(both) == 1:
        assert p == 1
        return
    theirs = mannwhitneyu(one, other, use_continuity=False, method="asymptotic")
    assert p == pytest.approx(theirs.pvalue, abs=1e-12)


def shifted(count, shift, seed):
    """Two tables of normal numbers, of which the second is shifted."""
    rng = np.random.default_rng(seed)
    schema = Schema(columns=tuple(Column(name=name, kind="real") for name in "abc"))
    tables = [Table(schema, {name: rng.normal(size=count) for name in "abc"}) for _ in range(2)]
    moved = {**tables[1].columns, "a": tables[1].columns["a"] + shift}
    return tables[0], Table(schema, moved)


def test_the_power_is_what_the_formula_says():
    share = shift_power(0.4, 150, 150, tests=6)
    threshold = LEVEL / 2 / 6
    noticed = [
        rank_test(*(table.columns["a"] for table in shifted(150, 0.4, seed))) <= threshold
        for seed in range(400)
    ]
    assert np.mean(noticed) == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 400))


def test_people_drawn_alike_seldom_seem_to_differ():
    rng = np.random.default_rng(0)
    noticed = [measure_drift(*shifted(60, 0, seed), rng=rng).noticed for seed in range(50)]
    assert sum(noticed) <= 6  # 2 of 50 are expected; more than 6 have a chance of 0.004


def test_a_shift_of_one_column_is_named():
    drift = measure_drift(*shifted(300, 0.5, 1), rng=np.random.default_rng(0))
    assert set(drift.columns) == {"a"}
    assert drift.p < 0.001
    (limit,) = ControlCheck(Reading.missing("lower", "not here"), drift).limits()
    assert "in 1 of the columns, a (" in limit
    assert "fewer than 1 of 1,000 audits" in limit


def test_a_classifier_sees_what_no_single_column_shows():
    rng = np.random.default_rng(0)
    schema = Schema(
        columns=tuple(Column(name=f"c{i}", kind="category", values=("n", "y")) for i in range(30))
    )
    sides = [
        Table(schema, {f"c{i}": (rng.random(800) < share).astype(int) for i in range(30)})
        for share in (0.5, 0.545)
    ]
    drift = measure_drift(*sides, rng=rng)
    assert drift.by_classifier
    assert drift.auc.low > 0.5
    check = ControlCheck(Reading.missing("lower", "not here"), drift)
    assert 0 < check.drift_share < 0.3
    assert any("a classifier tells who is who with an AUC of 0." in text for text in check.limits())


def test_who_sees_no_drift_says_what_would_have_been_seen():
    drift = measure_drift(*shifted(1000, 0, 3), rng=np.random.default_rng(0))
    (limit,) = ControlCheck(Reading.missing("lower", "not here"), drift).limits()
    assert not drift.noticed
    assert "A shift of 0.5 standard deviations in one column of numbers" in limit
    assert "noticed in 99 of 100 audits of this size, one of 0.25 in 99, one of 0.1 in " in limit
    assert [shift.shift for shift in drift.shifts] == [0.5, 0.25, 0.1]
    assert sorted(drift.shifts, key=lambda shift: -shift.share) == list(drift.shifts)


def test_the_same_seed_gives_the_same_drift_and_few_people_are_no_fault():
    one, other = people(40, seed=1), people(40, seed=2)
    first, second = (check_control(one, other, rng=np.random.default_rng(5)) for _ in range(2))
    assert first == second
    auc, p = tell_apart(one.take(range(5)), other, rng=np.random.default_rng(0))
    assert (auc.measured, p) == (False, 1.0)
    same = one.take(np.zeros(20, int))
    assert not measure_drift(same, same, rng=np.random.default_rng(0)).noticed
