"""Data files: what survives them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintain.data import Column, Schema, Series, Table, Transactions, read, write
from quintain.data.files import to_bytes
from quintain.errors import DataError
from quintain.testing import example
from quintain.testing.strategies import tables
from tests.data.file_cases import GOOD, ids_as_text, parquet, parse, quick, records


@quick
@given(tables())
def test_a_table_survives_a_csv_file(table):
    assert records(to_bytes(table, ".csv"), table.schema) == ids_as_text(table)


@quick
@given(tables(min_rows=1))
def test_a_table_survives_a_csv_file_without_header(table):
    content = to_bytes(table, ".csv", header=False)
    first = dict.fromkeys(table.schema.names)
    if [str(v) for v in table.records()[0].values()] == list(first):
        return  # a first row that reads like the header cannot be told from one
    assert records(content, table.schema, header=False) == ids_as_text(table)


@quick
@given(tables())
def test_a_table_survives_a_parquet_file(table):
    content = to_bytes(table, ".parquet")
    assert records(content, table.schema, "people.parquet") == table.records()


@quick
@given(tables(), st.sampled_from([".csv", ".parquet"]))
def test_the_same_table_gives_the_same_bytes(table, suffix):
    again = table.take(np.arange(len(table)))
    assert to_bytes(again, suffix) == to_bytes(table, suffix)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_quotes_commas_and_all_scripts_may_stand_in_a_category(suffix):
    names = ("a,b", 'say "x"', '"', "two lines", "'", "#", "Zürich", "中文", "😀", " x ", ";")
    schema = Schema(
        columns=(
            Column(name='first, "one"', kind="category", values=names),
            Column(name="naïve", kind="integer"),
        )
    )
    table = Table.of(schema, {'first, "one"': names, "naïve": range(-5, 6)})
    data, faults = parse(to_bytes(table, suffix), schema, f"odd{suffix}")
    assert not faults
    assert data.equals(table)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("shape", ["table", "transactions"])
def test_each_kind_of_table_comes_back_as_that_kind(tmp_path, shape, suffix):
    data = example(shape, rows=60)
    write(data, tmp_path / f"data{suffix}")
    again = read(tmp_path / f"data{suffix}", data.schema)
    assert type(again) is (Transactions if shape == "transactions" else Table)
    assert ids_as_text(again) == ids_as_text(data)


@pytest.mark.parametrize("name", ["data.xlsx", "data.tsv", "data.csv.gz", "data.JSON"])
def test_a_name_that_promises_another_format_is_refused(tmp_path, name):
    with pytest.raises(DataError, match="name one that ends with"):
        write(example("table", rows=5), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_series_survives_a_parquet_file(tmp_path):
    series = example("series", rows=200)
    write(series, tmp_path / "series.parquet")
    again = read(tmp_path / "series.parquet", series.schema)
    assert isinstance(again, Series)
    assert again.equals(series)


def test_persons_of_a_series_keep_their_order_in_a_csv_file():
    # Read back, the names are text: sorted as text, 10 would stand before 2.
    series = example("series")
    data, faults = parse(to_bytes(series, ".csv"), series.schema)
    assert not faults
    assert data.ids.tolist() == [str(name) for name in series.ids]


def test_missing_values_are_empty_cells():
    schema = Schema(
        columns=(
            Column(name="a", kind="category", values=("x",), nullable=True),
            Column(name="b", kind="integer", low=-3, high=3, nullable=True),
            Column(name="c", kind="real", nullable=True),
            Column(name="d", kind="time", nullable=True),
        )
    )
    table = Table.of(schema, {"a": ["x", None], "b": [-1, None], "c": [0, None], "d": [None] * 2})
    assert to_bytes(table, ".csv") == b"a,b,c,d\nx,-1,0.0,\n,,,\n"
    for suffix in (".csv", ".parquet"):
        data, _ = parse(to_bytes(table, suffix), schema, f"gaps{suffix}")
        assert data.equals(table)


def test_integers_of_a_wide_domain_are_read_in_full():
    # Too many values to list, and too large for 32 bits.
    schema = Schema(columns=(Column(name="n", kind="integer", low=0, high=10**12),))
    for content, name in ((b"n\n5000000000\n", "x.csv"), (parquet(n=[5 * 10**9]), "x.parquet")):
        assert records(content, schema, name) == [{"n": 5_000_000_000}]


def test_a_missing_value_in_a_single_column_is_not_a_blank_line():
    schema = Schema(columns=(Column(name="a", kind="category", values=("x",), nullable=True),))
    table = Table.of(schema, {"a": ["x", None, "x", None]})
    assert to_bytes(table, ".csv") == b'a\nx\n""\nx\n""\n'
    assert records(to_bytes(table, ".csv"), schema) == table.records()


def test_columns_may_stand_in_any_order():
    assert records(b"pay,sex,age\n1.5,f,40\n") == [{"sex": "f", "age": 40, "pay": 1.5}]
    content = parquet(pay=[1.5], sex=["f"], age=[40])
    assert records(content, name="x.parquet") == [{"sex": "f", "age": 40, "pay": 1.5}]


def test_the_last_line_needs_no_line_feed():
    assert records(GOOD.rstrip(b"\n")) == records(GOOD)


def test_a_header_alone_is_a_table_without_rows():
    data, faults = parse(b"sex,age,pay\n")
    assert not faults
    assert len(data) == 0


def test_a_header_alone_needs_no_line_feed():
    data, faults = parse(b"sex,age,pay")
    assert not faults
    assert len(data) == 0


def test_quoted_cells_are_the_same_as_plain_ones():
    assert records(b'"sex","age","pay"\n"f","40","1.5"\n"m","17",""\n') == records(GOOD)
