"""Parquet files: their types are not ours, and their values are checked like anybody's."""

import io
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Limits, Schema
from quintain.data.files import to_bytes
from quintain.testing.strategies import tables
from tests.data.file_cases import SCHEMA, parquet, parse, quick, records, sentences


def test_every_bad_value_of_a_parquet_file_is_reported_with_its_row():
    content = parquet(
        sex=["f", "q", None], age=[40.5, 40.0, 7.0], pay=pa.array([1.0, float("inf"), None])
    )
    assert set(sentences(content, name="x.parquet")) == {
        "x.parquet:2 sex='q': expected one of 2 values such as f, m",
        "x.parquet:3 sex='': expected one of 2 values such as f, m",
        "x.parquet:1 age='40.5': expected an integer in 17..90",
        "x.parquet:3 age='7.0': expected an integer in 17..90",
        "x.parquet:2 pay='inf': expected a number in 0..10, or empty",
    }


def test_parquet_values_may_come_in_other_types():
    for age in (pa.array([40, 17], pa.uint8()), pa.array([40.0, 17.0]), pa.array(["40", "17"])):
        content = parquet(sex=pa.array(["f", "m"]).dictionary_encode(), age=age, pay=[1, None])
        assert records(content, name="x.parquet") == [
            {"sex": "f", "age": 40, "pay": 1.0},
            {"sex": "m", "age": 17, "pay": None},
        ]


def test_a_nan_in_a_parquet_file_is_a_missing_value():
    content = parquet(sex=["f"], age=[40], pay=[float("nan")])
    assert records(content, name="x.parquet") == [{"sex": "f", "age": 40, "pay": None}]


def test_a_parquet_file_with_other_columns_is_refused():
    assert set(sentences(parquet(sex=["f"], age=[40], colour=["red"]), name="x.parquet")) == {
        "x.parquet pay: this column is missing",
        "x.parquet colour: this column is not in the schema",
    }


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_make_the_parquet_reader_stumble(content):
    assert sentences(b"PAR1" + content + b"PAR1", name="x.parquet")


@pytest.mark.slow
@quick
@given(tables(min_rows=1), st.data())
def test_a_parquet_file_cut_short_is_refused(table, data):
    content = to_bytes(table, ".parquet")
    cut = data.draw(st.integers(0, len(content) - 1))
    assert sentences(content[:cut], table.schema, name="x.parquet")


def test_a_small_parquet_file_that_claims_many_rows_is_refused_unread():
    # 20 million rows of one constant take less than 100 kB here and 160 MB once they are read.
    zeros = pa.chunked_array([pa.array(np.zeros(1_000_000, np.int8))] * 20)
    sink = io.BytesIO()
    pq.write_table(pa.table({"age": zeros}), sink, compression="zstd")
    content = sink.getvalue()
    assert len(content) < 100_000
    start = time.process_time()
    assert sentences(content, Schema(columns=(SCHEMA["age"],)), name="bomb.parquet") == [
        "bomb.parquet: 20000000 rows x 1 columns; the limit is 2000000 x 1000"
    ]
    assert time.process_time() - start < 20  # far from what any machine needs


def column(**facts):
    return Schema(columns=(Column(name="x", **facts),))


LETTER = column(kind="category", values=("a",))
COUNT = column(kind="integer", low=0)
DAY = column(kind="time")


@pytest.mark.parametrize(
    "values", [pa.array([2**63 + 5], pa.uint64()), pa.array([1e300]), pa.array([float(2**63)])]
)
def test_a_number_that_does_not_fit_is_refused_and_not_wrapped_around(values):
    (fault,) = sentences(parquet(x=values), COUNT, "x.parquet")
    assert fault.endswith("expected an integer of at least 0")


def test_a_moment_beyond_the_calendar_is_refused():
    (fault,) = sentences(parquet(x=pa.array([2**62], pa.timestamp("ms"))), DAY, "x.parquet")
    assert fault.endswith("expected a time written %Y-%m-%d")


def test_a_time_of_day_is_refused_where_the_format_would_lose_it():
    noon = pa.array([43_200], pa.timestamp("s"))
    assert sentences(parquet(x=noon), DAY, "x.parquet") == [
        "x.parquet:1 x='1970-01-01 12:00:00': expected a time written %Y-%m-%d"
    ]
    (record,) = records(parquet(x=pa.array([86_400], pa.timestamp("s"))), DAY, "x.parquet")
    assert (record["x"].month, record["x"].day) == (1, 2)


@pytest.mark.parametrize(
    ("schema", "values", "words"),
    [
        (LETTER, pa.array([["a"]]), "a column of list<element: string>"),
        (LETTER, pa.array([b"\xff"]), "a column of binary"),
        (DAY, pa.array([1], pa.duration("s")), "a column of duration[s]"),
    ],
)
def test_a_column_of_another_nature_is_named_with_its_type(schema, values, words):
    (fault,) = sentences(parquet(x=values), schema, "x.parquet")
    assert fault.startswith(f"x.parquet x: {schema['x'].expected}, not {words}")


def test_a_column_name_that_is_no_text_is_refused():
    content = parquet(sex=["f"]).replace(b"sex", b"s\xffx")
    (fault,) = sentences(content, Schema(columns=(SCHEMA["sex"],)), "x.parquet")
    assert fault.startswith("x.parquet: is not a readable Parquet file")


def bomb(**columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def test_one_row_with_a_list_of_millions_is_refused_unread():
    values = pa.ListArray.from_arrays([0, 5_000_000], pa.array(np.zeros(5_000_000, np.int8)))
    content = bomb(x=values)
    assert len(content) < 10_000
    assert sentences(content, COUNT, "x.parquet") == [
        "x.parquet x: expected an integer of at least 0, not a column of list<element: int8>"
    ]


@pytest.mark.parametrize(
    "values", [pa.array([b"1234"], pa.binary(4)), pa.array([1], pa.decimal128(5)), [{"a": 1}]]
)
def test_values_of_a_fixed_number_of_bytes_and_structures_are_refused(values):
    (fault,) = sentences(parquet(x=values), COUNT, "x.parquet")
    assert fault.startswith("x.parquet x: expected an integer of at least 0, not a column of ")


def test_a_long_text_that_is_repeated_by_its_number_costs_its_length_once():
    texts = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(200_000, np.int32)), pa.array(["a" * 100_000])
    )
    content = bomb(x=texts)
    assert len(content) < 10_000
    start = time.process_time()
    data, faults = parse(content, LETTER, "x.parquet")
    assert data is None
    assert faults.total == 200_000
    assert time.process_time() - start < 20  # far from what any machine needs


def test_a_file_that_unpacks_to_too_many_bytes_is_refused():
    content = bomb(x=pa.array([f"{i:0100d}" for i in range(2000)]))
    (fault,) = sentences(content, LETTER, "x.parquet", limits=Limits(archive_bytes=100_000))
    assert fault == "x.parquet: more than 2000000 rows or 100000 bytes once it is unpacked"
