"""Schemas learned from data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from quintain.api import learn_schema
from quintain.data import Column, Schema, Table, from_frame, learn
from quintain.errors import DataError


def learned(values, name="x"):
    return learn(pd.DataFrame({name: values})).schema[name]


@pytest.mark.parametrize(
    ("values", "column"),
    [
        (["b", "a", "b"], Column(name="x", kind="category", values=("a", "b"))),
        (["b", None], Column(name="x", kind="category", values=("b",), nullable=True)),
        (["b", ""], Column(name="x", kind="category", values=("b",), nullable=True)),
        ([3, -1], Column(name="x", kind="integer", low=-1, high=3)),
        ([3, None], Column(name="x", kind="integer", low=3, high=3, nullable=True)),
        ([0.5, 2.0], Column(name="x", kind="real", low=0.5, high=2)),
        ([0.5, np.nan], Column(name="x", kind="real", low=0.5, high=0.5, nullable=True)),
        ([True, False], Column(name="x", kind="category", values=("false", "true"))),
        (
            ["2011-02-03", "2011-01-02"],
            Column(name="x", kind="time", earliest="2011-01-02", latest="2011-02-03"),
        ),
        (
            pd.to_datetime(["2011-01-02", None]),
            Column(
                name="x", kind="time", nullable=True, earliest="2011-01-02", latest="2011-01-02"
            ),
        ),
        (
            pd.to_datetime(["2011-01-02T03:04:05"]),
            Column(
                name="x",
                kind="time",
                time_format="%Y-%m-%dT%H:%M:%S",
                earliest="2011-01-02T03:04:05",
                latest="2011-01-02T03:04:05",
            ),
        ),
        ([f"p{i}" for i in range(20)], Column(name="x", kind="id")),
        (
            pd.Categorical(["b"], categories=["c", "b", "a"], ordered=True),
            Column(name="x", kind="category", values=("c", "b", "a"), ordered=True),
        ),
        ([0, 10_000_000, None], Column(name="x", kind="real", low=0, high=1e7, nullable=True)),
    ],
)
def test_a_column_is_learned_from_its_cells(values, column):
    assert learned(values) == column


def test_whole_numbers_are_ids_only_if_the_name_says_so():
    assert learned([7, 8, 9], "person_id").kind == "id"
    assert learned([7, 8, 8], "person_id").kind == "integer"
    assert learned([7, 8, 9], "width").kind == "integer"


def test_frames_of_all_libraries_give_one_schema():
    frame = pd.DataFrame({"sex": ["f", "m"], "age": [3, 4], "bmi": [1.5, 2.5]})
    assert learn(pl.from_pandas(frame)).schema == learn(frame).schema


def test_a_domain_covers_all_frames_and_what_the_schema_of_data_says():
    schema = Schema(columns=(Column(name="sex", kind="category", values=("m", "f")),))
    known = Table.of(schema, {"sex": ["m"]})
    values = learn(known, pd.DataFrame({"sex": ["x", "m"]})).schema["sex"].values
    assert set(values) == {"m", "f", "x"}
    ages = learn(pd.DataFrame({"age": [4, 9]}), pd.DataFrame({"age": [2]})).schema["age"]
    assert (ages.low, ages.high) == (2, 9)
    assert learn(known).learned == ()


def test_the_warning_names_the_columns():
    frame = pd.DataFrame({"sex": ["f", "m"], "ok": [True, False], "person_id": [1, 2]})
    learned = learn(frame)
    assert learned.learned == ("sex",)
    assert learned.warning.startswith("the domains of sex were learned from the data")
    assert learn(frame[["ok"]]).warning == ""


def test_what_cannot_be_learned_is_said_all_at_once():
    frame = pd.DataFrame({"a": [[1], [2]], "b": [1.0, np.inf], "d": [1, 2]})
    with pytest.raises(DataError) as caught:
        learn_schema(frame, frame.drop(columns="d"))
    text = str(caught.value)
    assert "expected texts, numbers, dates or true and false" in text
    assert "infinity" in text
    assert "not in all of the data frames" in text


def test_what_has_no_domain_is_left_out_with_the_reason():
    frame = pd.DataFrame({"a": [None, None], "c": ["x\ny", "z"], "d": [1, 2]})
    learned = learn(frame)
    assert learned.schema.names == ("d",)
    assert learned.left_out == {
        "a": "every cell is missing",
        "c": "a value of category 'c' contains a control character",
    }
    with pytest.raises(DataError, match=r"no column can be used\. a: every cell is missing; c: a"):
        _ = learn(frame[["a", "c"]]).schema


def test_learned_frames_can_be_read_under_their_schema():
    frame = pd.DataFrame(
        {"sex": ["f", None], "age": [3.0, np.nan], "day": pd.to_datetime(["2011-01-02", None])}
    )
    data = from_frame(frame, learn(frame).schema)
    assert [list(row.values()) for row in data.records()][1] == [None, None, None]
