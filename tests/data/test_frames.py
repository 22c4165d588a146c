"""Data frames: pandas, polars and pyarrow, there and back."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from quintain.data import (
    Column,
    Schema,
    Series,
    Table,
    Transactions,
    from_frame,
    to_pandas,
    to_polars,
)
from quintain.data.arrow import to_arrow
from quintain.data.frames import arrow_of
from quintain.data.learning.input_table import InputTable
from quintain.errors import DataError, MissingExtra
from quintain.testing import example
from quintain.testing.strategies import tables

SCHEMA = Schema(
    columns=(
        Column(name="sex", kind="category", values=("f", "m", "x")),
        Column(name="age", kind="integer", low=17, high=90, nullable=True),
        Column(name="pay", kind="real", nullable=True),
    )
)
TABLE = Table.of(SCHEMA, {"sex": ["f", "m"], "age": [40, None], "pay": [None, -1.5]})

quick = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(tables())
def test_a_table_survives_a_pandas_data_frame(table):
    assert from_frame(to_pandas(table), table.schema).records() == table.records()


@quick
@given(tables())
def test_a_table_survives_a_polars_data_frame(table):
    assert from_frame(to_polars(table), table.schema).records() == table.records()


@quick
@given(tables())
def test_a_table_survives_an_arrow_table(table):
    assert from_frame(to_arrow(table), table.schema).records() == table.records()


@pytest.mark.parametrize("convert", [to_pandas, to_polars])
@pytest.mark.parametrize(
    ("shape", "kind"), [("table", Table), ("transactions", Transactions), ("series", Series)]
)
def test_each_kind_of_data_comes_back_as_that_kind(convert, shape, kind):
    data = example(shape, rows=60)
    again = from_frame(convert(data), data.schema)
    assert type(again) is kind
    assert again.equals(data)


def test_a_pandas_frame_has_names_and_numbers_not_codes():
    frame = to_pandas(TABLE)
    assert list(frame.columns) == ["sex", "age", "pay"]
    assert frame["sex"].tolist() == ["f", "m"]
    assert frame["age"][0] == 40
    assert frame.isna().to_numpy().tolist() == [[False, False, True], [False, True, False]]


def test_categories_stay_categories_with_their_whole_domain():
    assert to_pandas(TABLE)["sex"].cat.categories.tolist() == ["f", "m", "x"]
    assert to_polars(TABLE).schema["sex"] in (pl.Categorical, pl.Enum)


def test_a_polars_frame_has_names_and_numbers_not_codes():
    assert to_polars(TABLE).rows() == [("f", 40, None), ("m", None, -1.5)]


def test_values_may_come_in_other_types():
    plain = pd.DataFrame({"sex": ["f", "m"], "age": [40.0, np.nan], "pay": [None, -1.5]})
    frames = [
        plain,
        plain.assign(sex=plain["sex"].astype("category"), age=plain["age"].astype("Int64")),
        plain.assign(age=["40", None]),
        pl.from_pandas(plain),
        pl.DataFrame({"sex": ["f", "m"], "age": [40, None], "pay": [None, -1.5]}),
        pa.table({"sex": ["f", "m"], "age": pa.array([40, None], pa.int8()), "pay": [None, -1.5]}),
    ]
    assert all(from_frame(frame, SCHEMA).records() == TABLE.records() for frame in frames)


def test_columns_may_stand_in_any_order():
    frame = to_pandas(TABLE)[["pay", "sex", "age"]]
    assert from_frame(frame, SCHEMA).equals(TABLE)


def test_the_index_of_a_filtered_pandas_frame_is_no_column():
    frame = to_pandas(TABLE)
    assert from_frame(frame[frame["sex"] == "m"], SCHEMA).records() == TABLE.records()[1:]


def test_every_fault_of_a_frame_is_reported_with_its_row_number():
    # Rows of a data frame are counted from 0, as its users count them.
    frame = pd.DataFrame(
        {"sex": ["f", "q", None], "age": [40.5, 17, 91], "pay": [1.0, np.inf, np.nan]}
    )
    with pytest.raises(DataError) as caught:
        from_frame(frame, SCHEMA)
    assert str(caught.value).splitlines() == [
        "data frame:1 sex='q': expected one of 3 values such as f, m, x",
        "data frame:2 sex='': expected one of 3 values such as f, m, x",
        "data frame:0 age='40.5': expected an integer in 17..90, or empty",
        "data frame:2 age='91.0': expected an integer in 17..90, or empty",
        "data frame:1 pay='inf': expected a number, or empty",
    ]


def test_missing_and_unknown_columns_of_a_frame_are_reported():
    with pytest.raises(DataError) as caught:
        from_frame(pl.DataFrame({"sex": ["f"], "Age": [40], "colour": ["red"]}), SCHEMA)
    assert str(caught.value).splitlines() == [
        "data frame age: this column is called 'Age' here; rename it",
        "data frame pay: this column is missing",
        "data frame colour: this column is not in the schema",
    ]


def test_a_pandas_column_of_numbers_and_texts_is_refused_in_words():
    mixed = pd.DataFrame({"age": pd.Series([40, "50"], dtype=object)})
    with pytest.raises(DataError, match=r"data frame age: has cells .* \(int, str\)"):
        from_frame(mixed, Schema(columns=(Column(name="age", kind="integer"),)))


@pytest.mark.parametrize(("convert", "package"), [(to_pandas, "pandas"), (to_polars, "polars")])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch, convert, package
):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra) as caught:
        convert(TABLE)
    assert str(caught.value) == (
        f"a {package} data frame needs {package}: pip install 'quintain[frames]'"
    )


def test_every_column_of_mixed_cells_is_named_with_the_role_of_its_frame():
    mixed = pd.DataFrame({"age": [1, 2], "x": [1, "a"], "y": [b"a", 2.5]})
    with pytest.raises(DataError) as refused:
        InputTable.of(mixed, "control")
    assert [(fault.file, fault.column) for fault in refused.value.faults] == [
        ("control", "x"),
        ("control", "y"),
    ]
    assert "no type in common (int, str)" in str(refused.value)
    with pytest.raises(DataError, match="that are not read"):
        InputTable.of(pd.DataFrame({"c": [1j]}))


def test_columns_that_arrow_does_not_know_are_read_as_texts_or_numbers():
    frame = pd.DataFrame({"age": [20, 40, 70]})
    frame["month"] = pd.period_range("2020-01", periods=3, freq="M")
    frame["band"] = pd.cut(frame["age"], [0, 30, 60, 100])
    frame["range"] = pd.interval_range(0, 3)
    frame["few"] = pd.arrays.SparseArray([0, 0, 5])
    frame.loc[1, "month"] = pd.NaT
    read = arrow_of(frame)
    assert read.column("month").to_pylist() == ["2020-01", None, "2020-03"]
    assert read.column("band").to_pylist() == ["(0, 30]", "(30, 60]", "(60, 100]"]
    assert read.column("range").to_pylist() == ["(0, 1]", "(1, 2]", "(2, 3]"]
    assert read.column("few").to_pylist() == [0, 0, 5]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (
            pd.DataFrame({"x": [1, 2, "a"]}),
            r"x: .*\(int, str\), such as 'a' in row 2, counted from 0",
        ),
        (pd.DataFrame({"x": [1j, 2j]}), r"x: has cells that are not read \(complex\), such as"),
        (pa.table([[1], [2]], names=["a", "a"]), "a: this column appears twice"),
        (pl.DataFrame({"x": pl.Series([object()], dtype=pl.Object)}), "x: has objects"),
        (pl.DataFrame({"x": [1]}).lazy(), r"not a LazyFrame; call \.collect\(\) first"),
        (pd.Series([1, 2]), r"not a Series; call \.to_frame\(\) first"),
    ],
)
def test_a_frame_that_cannot_be_read_says_which_column_and_row(frame, said):
    with pytest.raises(DataError, match=said):
        arrow_of(frame)
