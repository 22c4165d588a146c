"""Data files: what survives them, and every fault of a bad one, with its line and column."""

import io
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quintain.data import Column, Limits, Schema, Series, Table, Transactions, read, write
from quintain.data.files import read_bytes, to_bytes
from quintain.errors import SHOWN_FAULTS, DataError, Faults
from quintain.testing import example
from quintain.testing.strategies import tables

SCHEMA = Schema(
    columns=(
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="pay", kind="real", low=0, high=10, nullable=True),
    )
)
GOOD = b"sex,age,pay\nf,40,1.5\nm,17,\n"
BOM = b"\xef\xbb\xbf"

quick = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def parse(content, schema=SCHEMA, name="people.csv", **options):
    """The data in a file, and its faults."""
    faults = Faults(name)
    return read_bytes(content, name, schema, faults=faults, **options), faults


def records(content, schema=SCHEMA, name="people.csv", **options):
    data, faults = parse(content, schema, name, **options)
    assert not faults, faults.found
    return data.records()


def said(content, schema=SCHEMA, name="people.csv", **options):
    """What is wrong with a file, in the words a person reads."""
    data, faults = parse(content, schema, name, **options)
    assert data is None
    assert faults.total == len(faults.found) > 0
    return [str(fault) for fault in faults]


def parquet(**columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def ids_as_text(table):
    """A CSV file cannot tell the id 7 from the id "7"."""
    names = [column.name for column in table.schema.columns if column.kind == "id"]
    return [{**r, **{name: str(r[name]) for name in names}} for r in table.records()]


# --- there and back -------------------------------------------------------------------------------


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


def test_a_series_survives_a_parquet_file(tmp_path):
    series = example("series", rows=200)
    write(series, tmp_path / "series.parquet")
    again = read(tmp_path / "series.parquet", series.schema)
    assert isinstance(again, Series)
    assert again.equals(series)


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


def test_quoted_cells_are_the_same_as_plain_ones():
    assert records(b'"sex","age","pay"\n"f","40","1.5"\n"m","17",""\n') == records(GOOD)


# --- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell", ["40.0", "+5", " 5", "007", "1e400", "inf", "nan", "NA", "", "4e1"]
)
def test_a_cell_that_is_no_integer_is_refused(cell):
    assert said(f"sex,age,pay\nf,{cell},1\n".encode()) == [
        f"people.csv:2 age={cell!r}: expected an integer in 17..90"
    ]


@pytest.mark.parametrize("cell", ["+5", " 5", "1e400", "inf", "-inf", "nan", "NA", "None", "11"])
def test_a_cell_that_is_no_number_in_range_is_refused(cell):
    assert said(f"sex,age,pay\nf,40,{cell}\n".encode()) == [
        f"people.csv:2 pay={cell!r}: expected a number in 0..10, or empty"
    ]


def test_every_bad_cell_is_reported_with_its_line_and_column():
    content = b"sex,age,pay\nf,40,1.5\nq,40.0,11\nm,50,\n,+5,nan\nF,17,-1\n"
    data, faults = parse(content)
    assert data is None
    assert {(fault.line, fault.column, fault.got) for fault in faults} == {
        (3, "sex", "q"),
        (3, "age", "40.0"),
        (3, "pay", "11"),
        (5, "sex", ""),
        (5, "age", "+5"),
        (5, "pay", "nan"),
        (6, "sex", "F"),
        (6, "pay", "-1"),
    }
    assert {fault.file for fault in faults} == {"people.csv"}


def test_lines_are_counted_from_one_without_a_header():
    assert said(b"f,40,1\nq,40,1\n", header=False) == [
        "people.csv:2 sex='q': expected one of 2 values such as f, m"
    ]


def test_lines_are_right_in_files_longer_than_one_block():
    # The reader works through a file in blocks of a million bytes.
    lines = [b"f,40,1.5\n"] * 300_000
    lines[250_000] = b"f,99,1.5\n"
    assert said(b"sex,age,pay\n" + b"".join(lines)) == [
        "people.csv:250002 age='99': expected an integer in 17..90"
    ]


def test_every_line_with_a_wrong_number_of_cells_is_reported():
    content = b"sex,age,pay\nf,40\nf,41,1\nm\nf,40,1,1\nf,42,1\nf,40,1,\n"
    assert said(content) == [
        "people.csv:2: expected 3 cells, found 2",
        "people.csv:4: expected 3 cells, found 1",
        "people.csv:5: expected 3 cells, found 4",
        "people.csv:7: expected 3 cells, found 4",
    ]


def test_bad_cells_are_found_beside_lines_with_a_wrong_number_of_cells():
    content = b"sex,age,pay\nf,40\nq,41,1\nm\nf,99,1\nf,40,1,1\nf,40,-1\n"
    assert set(said(content)) == {
        "people.csv:2: expected 3 cells, found 2",
        "people.csv:3 sex='q': expected one of 2 values such as f, m",
        "people.csv:4: expected 3 cells, found 1",
        "people.csv:5 age='99': expected an integer in 17..90",
        "people.csv:6: expected 3 cells, found 4",
        "people.csv:7 pay='-1': expected a number in 0..10, or empty",
    }


LINES = {
    "f,40,1": set(),
    "q,40,1": {"sex"},
    "f,99,x": {"age", "pay"},
    "f,40": {None},
    "f,40,1,1": {None},
    "": {None},
}


@quick
@given(st.lists(st.sampled_from(sorted(LINES)), min_size=1, max_size=12), st.booleans())
def test_every_fault_names_its_line_whatever_stands_before_it(lines, header):
    lines = ["sex,age,pay" if header else "f,40,1", *lines]
    _, faults = parse("".join(f"{line}\n" for line in lines).encode(), header=header)
    expected = {
        (number, column) for number, line in enumerate(lines[1:], start=2) for column in LINES[line]
    }
    assert {(fault.line, fault.column) for fault in faults} == expected
    assert faults.total == len(expected)


def test_a_blank_line_is_a_fault_and_moves_no_line_number():
    faults = said(b"sex,age,pay\n\nf,40,1\n\n\nq,40,1\nf,40,1\n\n")
    assert faults == [
        *(f"people.csv:{line}: a blank line" for line in (2, 4, 5, 8)),
        "people.csv:6 sex='q': expected one of 2 values such as f, m",
    ]


def test_a_long_list_of_faults_is_cut_short_and_counted():
    with pytest.raises(DataError) as caught:
        _, faults = parse(b"sex,age,pay\n" + b"f,0,1\n" * 1500)
        faults.raise_if_any(DataError)
    assert caught.value.total == 1500
    assert len(caught.value.faults) == 1000
    assert str(caught.value).count("\n") == SHOWN_FAULTS
    assert str(caught.value).endswith(f"... and {1500 - SHOWN_FAULTS} more")


def test_a_long_cell_is_shown_by_its_beginning():
    (fault,) = said(b"sex,age,pay\n" + b"x" * 5000 + b",40,1\n")
    assert len(fault) < 200
    assert "xxx..." in fault


# --- headers --------------------------------------------------------------------------------------


def test_every_fault_of_a_header_is_reported():
    assert set(said(b"sex,age,age,colour,colour\nf,40,40,red,red\n")) == {
        "people.csv pay: this column is missing",
        "people.csv age: this column is there 2 times",
        "people.csv colour: no such column in the schema",
        "people.csv colour: this column is there 2 times",
    }


@pytest.mark.parametrize(
    "header",
    [b"Sex,age,pay", b" sex,age,pay", b"sex;age;pay", b"sex,age,pay,", b"sex,age", b"", b","],
)
def test_a_header_that_is_not_quite_right_is_refused(header):
    assert said(header + b"\nf,40,1\n")


def test_a_file_without_its_header_is_refused():
    assert len(said(b"f,40,1\nm,17,2\n")) == 6  # three columns missing, three unknown


def test_a_header_where_there_should_be_none_is_refused():
    assert said(GOOD, header=False) == [
        "people.csv:1: the file has a header line; this format has none"
    ]


def test_a_parquet_file_with_other_columns_is_refused():
    assert set(said(parquet(sex=["f"], age=[40], colour=["red"]), name="x.parquet")) == {
        "x.parquet pay: this column is missing",
        "x.parquet colour: no such column in the schema",
    }


# --- bytes ----------------------------------------------------------------------------------------


def test_a_byte_order_mark_and_carriage_returns_are_taken():
    assert records(BOM + GOOD.replace(b"\n", b"\r\n")) == records(GOOD)


def test_a_strict_format_refuses_a_byte_order_mark():
    assert said(BOM + GOOD, strict=True) == [
        "people.csv:1: starts with a byte order mark; save it as UTF-8 without one"
    ]


def test_a_strict_format_refuses_carriage_returns_and_names_the_first():
    assert said(GOOD[:-1] + b"\r\n", strict=True) == [
        "people.csv:3: has carriage returns; lines must end in a line feed alone"
    ]


def test_a_strict_format_reports_both_at_once():
    assert len(said(BOM + GOOD.replace(b"\n", b"\r\n"), strict=True)) == 2


def test_a_strict_format_looks_at_the_cells_all_the_same():
    assert said(b"sex,age,pay\r\nq,40,1\r\n", strict=True) == [
        "people.csv:1: has carriage returns; lines must end in a line feed alone",
        "people.csv:2 sex='q': expected one of 2 values such as f, m",
    ]


def test_a_strict_format_takes_a_plain_file():
    assert records(GOOD, strict=True) == records(GOOD)


def test_an_empty_file_is_refused():
    assert said(b"") == ["people.csv: the file is empty"]


def test_a_nul_byte_is_refused_with_its_line():
    assert said(b"sex,age,pay\nf,40,1\nf,4\x000,1\n") == [
        "people.csv:3: holds a NUL byte, so it is not a text file"
    ]


@pytest.mark.parametrize(
    "content", ["sex,age,pay\nf,40,1\n".encode("utf-16"), b"PK\x03\x04\x00\x00"]
)
def test_a_file_of_another_kind_is_refused(content):
    assert "NUL byte" in said(content)[0] or "UTF-8" in said(content)[0]


def test_bytes_that_are_not_utf8_are_refused_with_their_line():
    (fault,) = said("sex,age,pay\nf,40,1\né,40,1\n".encode("latin-1"))
    assert fault.startswith("people.csv:3 ")
    assert fault.endswith("is not UTF-8")


def test_an_unterminated_quote_is_refused():
    assert said(b'sex,age,pay\nf,40,"1\nm,50,2\n')[0].startswith("people.csv:2 pay=")


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_make_the_parquet_reader_stumble(content):
    assert said(b"PAR1" + content + b"PAR1", name="x.parquet")


@quick
@given(tables(min_rows=1), st.data())
def test_a_parquet_file_cut_short_is_refused(table, data):
    content = to_bytes(table, ".parquet")
    cut = data.draw(st.integers(0, len(content) - 1))
    assert said(content[:cut], table.schema, name="x.parquet")


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [True, False])
def test_two_hundred_thousand_columns_are_refused_at_once(header):
    names = b",".join(b"c%d" % i for i in range(200_000)) + b"\n"
    start = time.process_time()
    assert said(names * 2, header=header) == [
        "people.csv:1: the first line is longer than 1000000 bytes"
    ]
    short = b"," * 200_000 + b"\n"
    assert said(short * 2, header=header) == ["people.csv:1: 200001 columns; expected 3"]
    assert time.process_time() - start < 2


def test_two_hundred_thousand_cells_in_a_later_line_are_refused_at_once():
    start = time.process_time()
    assert said(GOOD + b"," * 200_000 + b"\n") == ["people.csv:4: expected 3 cells, found 200001"]
    assert time.process_time() - start < 2


def test_a_small_parquet_file_that_claims_many_rows_is_refused_unread():
    # 20 million rows of one constant take less than 100 kB here and 160 MB once they are read.
    zeros = pa.chunked_array([pa.array(np.zeros(1_000_000, np.int8))] * 20)
    sink = io.BytesIO()
    pq.write_table(pa.table({"age": zeros}), sink, compression="zstd")
    content = sink.getvalue()
    assert len(content) < 100_000
    start = time.process_time()
    assert said(content, Schema(columns=(SCHEMA["age"],)), name="bomb.parquet") == [
        "bomb.parquet: 20000000 rows x 1 columns; at most 2000000 x 1000 are taken"
    ]
    assert time.process_time() - start < 0.5


def test_limits_can_be_lowered():
    limits = Limits(rows=1)
    assert said(GOOD, limits=limits) == ["people.csv: 2 rows; at most 1 are taken"]
    content = to_bytes(parse(GOOD)[0], ".parquet")
    assert said(content, name="x.parquet", limits=limits) == [
        "x.parquet: 2 rows x 3 columns; at most 1 x 1000 are taken"
    ]
    assert records(GOOD, limits=Limits(rows=2)) == records(GOOD)


def test_a_file_that_is_too_large_is_not_even_opened(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(GOOD)
    path.chmod(0)
    with pytest.raises(DataError, match=r"people\.csv: 27 bytes; at most 10 are taken"):
        read(path, SCHEMA, limits=Limits(file_bytes=10))


def test_a_schema_wider_than_the_limit_can_still_be_read():
    schema = Schema(
        columns=tuple(Column(name=f"c{i}", kind="integer", low=0, high=1) for i in range(12))
    )
    table = Table(schema, {name: [0, 1] for name in schema.names})
    for suffix in (".csv", ".parquet"):
        data, faults = parse(
            to_bytes(table, suffix), schema, f"x{suffix}", limits=Limits(columns=5)
        )
        assert not faults
        assert data.equals(table)


# --- Parquet values -------------------------------------------------------------------------------


def test_every_bad_value_of_a_parquet_file_is_reported_with_its_row():
    content = parquet(
        sex=["f", "q", None], age=[40.5, 40.0, 7.0], pay=pa.array([1.0, float("inf"), None])
    )
    assert set(said(content, name="x.parquet")) == {
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


# --- the file itself ------------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_an_error_in_words(tmp_path):
    with pytest.raises(DataError, match=r"gone\.csv: cannot be read: No such file or directory"):
        read(tmp_path / "gone.csv", SCHEMA)


def test_reading_raises_with_every_fault(tmp_path):
    (tmp_path / "bad.csv").write_bytes(b"sex,age,pay\nq,1,1\nf,40,99\n")
    with pytest.raises(DataError) as caught:
        read(tmp_path / "bad.csv", SCHEMA)
    assert str(caught.value).splitlines() == [
        "bad.csv:2 sex='q': expected one of 2 values such as f, m",
        "bad.csv:2 age='1': expected an integer in 17..90",
        "bad.csv:3 pay='99': expected a number in 0..10, or empty",
    ]


def test_reading_may_raise_an_error_of_the_callers_choice(tmp_path):
    class HomeworkError(DataError):
        pass

    (tmp_path / "bad.csv").write_bytes(b"")
    with pytest.raises(HomeworkError, match="the file is empty"):
        read(tmp_path / "bad.csv", SCHEMA, error=HomeworkError)
