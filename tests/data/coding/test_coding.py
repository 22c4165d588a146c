"""Coding: discrete tables are their own codes, and every other table comes back within its bins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, Table
from quintain.data.coding import Coding, Groups
from quintain.errors import DataError
from quintain.testing import example_table

MIXED = Schema(
    columns=(
        Column(name="sex", kind="category", values=("f", "m"), nullable=True),
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="pay", kind="real", low=0, high=1e6, bins=20, nullable=True),
        Column(name="born", kind="time", earliest="1930-01-01", latest="2010-12-31"),
    )
)


def mixed(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    pay = rng.exponential(5e4, rows).clip(0, 1e6)
    pay[rng.random(rows) < 0.2] = np.nan
    born = rng.integers(-14_000, 14_000, rows) * 86_400
    columns = {"sex": rng.integers(-1, 2, rows), "age": rng.integers(0, 74, rows)}
    return Table(MIXED, {**columns, "pay": pay, "born": born})


def test_a_discrete_table_without_missing_values_is_its_own_code():
    table = example_table().drop("home")
    coding = Coding.of(table.schema)
    assert coding.coded is table.schema
    assert coding.encode(table) is table
    assert coding.decode(table, np.random.default_rng(0)) is table


def test_missing_values_have_a_code_after_all_others():
    codes = Coding.of(MIXED).encode(mixed())
    assert [column.size for column in codes.schema.columns] == [3, 74, 22, 32]
    assert not any(column.nullable for column in codes.schema.columns)
    np.testing.assert_array_equal(codes.columns["sex"] == 2, mixed().columns["sex"] == -1)
    np.testing.assert_array_equal(codes.columns["pay"] == 21, np.isnan(mixed().columns["pay"]))


def test_missing_values_can_stay_missing():
    coding = Coding.of(MIXED, missing_code=False)
    codes = coding.encode(mixed())
    assert codes.schema["sex"] == MIXED["sex"]
    assert codes.schema["pay"].nullable
    np.testing.assert_array_equal(codes.columns["pay"] == -1, np.isnan(mixed().columns["pay"]))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_codes_stay_the_same_after_decoding_and_coding_again(seed, missing_code):
    coding = Coding.of(MIXED, missing_code=missing_code)
    codes = coding.encode(mixed(50, seed))
    again = coding.decode(codes, np.random.default_rng(seed))
    assert again.schema == MIXED
    assert coding.encode(again).equals(codes)
    np.testing.assert_array_equal(again.columns["age"], mixed(50, seed).columns["age"])


def test_the_same_seed_gives_the_same_values():
    coding = Coding.of(MIXED)
    codes = coding.encode(mixed())
    one, other = (coding.decode(codes, np.random.default_rng(5)) for _ in range(2))
    assert one.equals(other)


def test_columns_without_bounds_are_refused_together():
    schema = Schema(
        columns=(
            Column(name="home", kind="id"),
            Column(name="pay", kind="real", low=0),
            Column(name="count", kind="integer"),
            Column(name="day", kind="time", latest="2024-12-31"),
        )
    )
    with pytest.raises(DataError) as refusal:
        Coding.of(schema)
    advice = "give low and high for pay, count; give earliest and latest for day; leave out the ids"
    assert advice in str(refusal.value)


def test_values_of_a_group_come_back_from_the_public_list():
    town = Column(name="town", kind="category", values=tuple("abcdef"))
    schema = Schema(columns=(town,))
    coding = Coding(schema, {"town": Groups(town, np.array([1, 4]))})
    table = Table(schema, {"town": np.repeat(np.arange(6), 100)})
    codes = coding.encode(table)
    assert codes.schema["town"].size == 3
    again = coding.decode(codes, np.random.default_rng(0)).columns["town"]
    assert np.unique(again[table.columns["town"] == 1]).tolist() == [1]
    shared = again[np.isin(table.columns["town"], [0, 2, 3, 5])]
    assert (np.bincount(shared, minlength=6)[[0, 2, 3, 5]] > 60).all()
