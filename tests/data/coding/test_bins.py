"""Bins: a value stays inside its bin, a missing value stays missing, and grids are kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column
from quintain.data.arrays import MISSING_TIME
from quintain.data.coding import DEFAULT_BINS, Bins, Grid

DAY = 86_400


def real(**facts):
    return Column(name="x", kind="real", **facts)


@st.composite
def columns(draw):
    """A column that is cut into bins, and contents of it."""
    kind = draw(st.sampled_from(["real", "integer", "time"]))
    bins = draw(st.none() | st.integers(1, 50))
    facts = {"name": "x", "kind": kind, "bins": bins}
    low = draw(st.integers(-1000, 1000))
    width = draw(st.integers(1, 5000))
    if kind == "time":
        first = np.datetime64("2020-01-01") + np.timedelta64(low, "D")
        column = Column(
            **facts,
            earliest=str(first),
            latest=str(first + np.timedelta64(width, "D")),
            nullable=True,
        )
        start = int(first.astype("datetime64[s]").astype(int))
        contents = start + DAY * np.array(draw(st.lists(st.integers(0, width), min_size=1)))
        return column, np.append(contents, MISSING_TIME)
    step = draw(st.none() | (st.sampled_from([0.1, 0.5, 2.5]) if kind == "real" else st.just(7)))
    column = Column(**facts, low=low, high=low + width, step=step, nullable=True)
    if kind == "integer":
        return column, np.array([*draw(st.lists(st.integers(0, width), min_size=1)), -1])
    numbers = draw(st.lists(st.floats(low, low + width), min_size=1))
    return column, np.array([*numbers, np.nan])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(columns(), st.integers(0, 99))
def test_a_value_stays_in_its_bin_and_a_missing_value_stays_missing(drawn, seed):
    column, contents = drawn
    bins = Bins.equal(column)
    codes = bins.encode(contents)
    assert codes[-1] == -1 and (codes[:-1] >= 0).all() and codes.max() < bins.count
    again = bins.decode(codes, np.random.default_rng(seed))
    np.testing.assert_array_equal(bins.encode(again), codes)
    assert Grid(column).missing(again).tolist() == [False] * (len(contents) - 1) + [True]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(columns())
def test_bins_of_one_position_give_the_value_back(drawn):
    column, contents = drawn
    if Grid(column).continuous or column.step:
        return
    bins = Bins.equal(column, count=Grid(column).count)
    again = bins.decode(bins.encode(contents), np.random.default_rng(0))
    np.testing.assert_array_equal(again, contents)


def test_a_column_without_bins_has_the_default_number():
    assert Bins.equal(real(low=1, high=2)).count == DEFAULT_BINS
    assert Bins.equal(real(low=1, high=1)).count == 1
    assert Bins.equal(Column(name="x", kind="integer", low=0, high=9, bins=50)).count == 10


def test_equal_bins_on_a_grid_differ_by_at_most_one_position():
    bins = Bins.equal(Column(name="x", kind="integer", low=17, high=90, bins=10))
    assert np.diff(bins.starts).tolist() == [8, 7, 8, 7, 7, 8, 7, 8, 7, 7]


def test_a_step_rounds_to_the_grid_without_digits_that_nobody_wrote():
    column = real(low=0, high=2, step=0.1)
    bins = Bins.equal(column)
    values = bins.decode(bins.encode(np.array([0.3, 0.349, 1.96])), np.random.default_rng(0))
    assert values.tolist() == [0.3, 0.3, 2.0]


def test_a_step_with_bins_gives_values_of_the_grid_within_the_bin():
    bins = Bins.equal(real(low=0.5, high=100, step=0.5, bins=4))
    values = bins.decode(np.full(500, 1, np.int32), np.random.default_rng(0))
    assert (values.min(), values.max()) == (25.5, 50.0)
    assert set(np.unique(values * 2 % 1)) == {0.0}


def test_dates_are_whole_days_within_their_bounds():
    column = Column(name="x", kind="time", earliest="2024-01-01", latest="2024-12-31", bins=12)
    values = Bins.equal(column).decode(np.repeat(np.arange(12), 400), np.random.default_rng(0))
    days = values.astype("datetime64[s]").astype("datetime64[D]")
    assert (values % DAY == 0).all()
    assert [str(days.min()), str(days.max())] == ["2024-01-01", "2024-12-31"]


def test_months_are_drawn_as_months():
    column = Column(
        name="x", kind="time", time_format="%Y-%m", earliest="2023-01", latest="2024-12", bins=4
    )
    assert Grid(column).count == 24
    values = Bins.equal(column).decode(np.full(99, 1, np.int32), np.random.default_rng(0))
    months = sorted(set(values.astype("datetime64[s]").astype(str)))
    assert months == [f"2023-{month:02}-01T00:00:00" for month in range(7, 13)]


def test_a_large_integer_is_binned_exactly():
    column = Column(name="x", kind="integer", low=10**17, high=9 * 10**17, bins=8)
    contents = np.array([0, 10**17 - 1, 10**17, 8 * 10**17])
    assert Bins.equal(column).encode(contents).tolist() == [0, 0, 0, 7]
    assert Bins.equal(column).encode(contents[2:3] + 1).tolist() == [1]


def test_values_within_a_bin_are_uniform():
    values = Bins.equal(real(low=-10, high=-1, bins=2)).decode(
        np.ones(4000, np.int32), np.random.default_rng(0)
    )
    assert values.mean() == pytest.approx(-3.25, abs=0.1)
    assert values.std() == pytest.approx(4.5 / np.sqrt(12), rel=0.05)
    assert (np.round(values, 3) == values).all()


@pytest.mark.parametrize(
    "column",
    [
        real(low=0, high=100, bins=4),
        real(low=-50, high=50, bins=3),
        real(low=-1, high=1, step=0.25, bins=2),
        Column(name="x", kind="integer", low=-7, high=1000, bins=5),
    ],
)
def test_zero_has_a_bin_of_its_own_and_stays_zero(column):
    bins = Bins.equal(column)
    stored = np.array([-column.offset, 1 - column.offset, *[-column.offset] * 50])
    again = bins.decode(bins.encode(stored), np.random.default_rng(0))
    assert (again == -column.offset).tolist() == [True, False, *[True] * 50]


def test_numbers_beside_zero_are_ordinary_numbers():
    bins = Bins.equal(real(low=0, high=8, bins=8))
    values = bins.decode(np.ones(20_000, np.int32), np.random.default_rng(0))
    assert values.min() > 1e-9


def test_edges_of_the_schema_are_used_as_they_are():
    age = Column(name="age", kind="integer", low=17, high=90, edges=(25, 64.5))
    assert Bins.of(age).starts.tolist() == [0, 8, 48, 74]
    values = np.array([17, 24, 25, 64, 65, 90])
    assert Bins.of(age).encode(values - 17).tolist() == [0, 0, 1, 1, 2, 2]
    pay = real(low=-1, high=9, edges=(2.5,))
    assert Bins.of(pay).encode(np.array([-1, -0.1, 0, 0.1, 2.5, 9])).tolist() == [0, 0, 1, 2, 3, 3]
