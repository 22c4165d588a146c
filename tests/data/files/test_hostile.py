"""Files that are not what they say: odd bytes, absurd sizes. Refused in words, and quickly."""

import time

import pytest

from quintain.data import Column, Limits, Schema, Table, read
from quintain.data.files import to_bytes
from quintain.errors import DataError
from tests.data.file_cases import BOM, GOOD, SCHEMA, parse, records, sentences

# --- bytes ----------------------------------------------------------------------------------------


def test_a_byte_order_mark_and_carriage_returns_are_taken():
    assert records(BOM + GOOD.replace(b"\n", b"\r\n")) == records(GOOD)


def test_a_strict_format_refuses_a_byte_order_mark():
    assert sentences(BOM + GOOD, strict=True) == [
        "people.csv:1: starts with a byte order mark; save it as UTF-8 without one"
    ]


def test_a_strict_format_refuses_carriage_returns_and_names_the_first():
    assert sentences(GOOD[:-1] + b"\r\n", strict=True) == [
        "people.csv:3: contains carriage returns; end lines with a line feed only"
    ]


def test_a_strict_format_reports_both_at_once():
    assert len(sentences(BOM + GOOD.replace(b"\n", b"\r\n"), strict=True)) == 2


def test_a_strict_format_looks_at_the_cells_all_the_same():
    assert sentences(b"sex,age,pay\r\nq,40,1\r\n", strict=True) == [
        "people.csv:1: contains carriage returns; end lines with a line feed only",
        "people.csv:2 sex='q': expected one of 2 values such as f, m",
    ]


def test_a_strict_format_takes_a_plain_file():
    assert records(GOOD, strict=True) == records(GOOD)


def test_lines_that_end_in_a_carriage_return_alone_are_refused():
    (fault,) = sentences(b"sex,age,pay\rf,40,1\r")
    assert fault == "people.csv:1: has a carriage return alone; end lines with a line feed"
    (fault,) = sentences(b"sex,age,pay\r\nf,40,1\r\r\n")
    assert fault == "people.csv:2: has a carriage return alone; end lines with a line feed"


def test_an_empty_file_is_refused():
    assert sentences(b"") == ["people.csv: the file is empty"]


def test_a_nul_byte_is_refused_with_its_line():
    assert sentences(b"sex,age,pay\nf,40,1\nf,4\x000,1\n") == [
        "people.csv:3: contains a NUL byte, so it is not a text file"
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("sex,age,pay\nf,40,1\n".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        (b"PK\x03\x04\x00\x00", "is a zip archive; expected CSV text in UTF-8"),
        (b"PK\x03\x04..xl/workbook.xml", "is an Excel workbook; expected CSV text in UTF-8"),
    ],
)
def test_a_file_of_another_kind_is_named(content, sentence):
    assert sentences(content) == [f"people.csv: {sentence}"]


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize("header", [True, False])
def test_columns_that_are_separated_otherwise_are_explained(mark, header):
    content = GOOD if header else GOOD.split(b"\n", 1)[1]
    expected = [f"people.csv:1: columns are separated by {mark!r}; expected ','"]
    assert sentences(content.replace(b",", mark.encode()), header=header) == expected


def test_bytes_that_are_not_utf8_are_refused_with_their_line():
    (fault,) = sentences("sex,age,pay\nf,40,1\né,40,1\n".encode("latin-1"))
    assert fault.startswith("people.csv:3 ")
    assert fault.endswith("is not UTF-8")


def test_an_unterminated_quote_is_refused():
    assert sentences(b'sex,age,pay\nf,40,"1\nm,50,2\n') == [
        "people.csv:2: a cell in quotation marks does not end on its line"
    ]


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [True, False])
def test_two_hundred_thousand_columns_are_refused_at_once(header):
    names = b",".join(b"c%d" % i for i in range(200_000)) + b"\n"
    start = time.process_time()
    assert sentences(names * 2, header=header) == [
        "people.csv:1: the first line is too long; the limit is 1000000 bytes"
    ]
    short = b"," * 200_000 + b"\n"
    assert sentences(short * 2, header=header) == ["people.csv:1: 200001 columns; expected 3"]
    assert time.process_time() - start < 20  # far from what any machine needs


def test_two_hundred_thousand_cells_in_a_later_line_are_refused_at_once():
    start = time.process_time()
    assert sentences(GOOD + b"," * 200_000 + b"\n") == [
        "people.csv:4: expected 3 cells, found 200001"
    ]
    assert time.process_time() - start < 20  # far from what any machine needs


def test_a_header_of_one_endless_cell_is_refused():
    (fault,) = sentences(b"a" * 200_000 + b",b,c\nf,1,1\n")
    assert fault.startswith("people.csv:1: the first line is not readable")
    assert len(fault) < 200


def test_three_hundred_thousand_bad_cells_are_counted_at_once():
    start = time.process_time()
    _, faults = parse(b"sex,age,pay\n" + b"q,1,x\n" * 100_000)
    assert faults.total == 300_000
    assert len(faults.findings) == 1000
    assert time.process_time() - start < 20  # far from what any machine needs


def test_limits_can_be_lowered():
    limits = Limits(rows=1)
    assert sentences(GOOD, limits=limits) == ["people.csv: 2 rows; the limit is 1"]
    content = to_bytes(parse(GOOD)[0], ".parquet")
    assert sentences(content, name="x.parquet", limits=limits) == [
        "x.parquet: 2 rows x 3 columns; the limit is 1 x 1000"
    ]
    assert records(GOOD, limits=Limits(rows=2)) == records(GOOD)


def test_a_file_that_is_too_large_is_not_even_opened(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(GOOD)
    path.chmod(0)
    with pytest.raises(DataError, match=r"people\.csv: 27 bytes; the limit is 10"):
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


def test_lines_are_counted_before_anything_is_built_from_them():
    start = time.process_time()
    (fault,) = sentences(GOOD + b"\n" * 3_000_000)
    assert fault == "people.csv: 3000002 rows; the limit is 2000000"
    assert time.process_time() - start < 20  # far from what any machine needs


def test_a_million_blank_lines_are_counted_and_a_thousand_listed():
    start = time.process_time()
    _, faults = parse(GOOD + b"\n" * 1_000_000)
    assert (faults.total, len(faults.findings)) == (1_000_000, 1000)
    assert time.process_time() - start < 20  # far from what any machine needs


def test_the_reader_stops_after_a_thousand_lines_of_a_wrong_length():
    start = time.process_time()
    _, faults = parse(GOOD + b",\n" * 1_900_000)
    assert faults.total == 1001
    assert str(faults.findings[0]) == "people.csv:4: expected 3 cells, found 2"
    assert time.process_time() - start < 20  # far from what any machine needs


def test_what_a_file_says_cannot_control_a_terminal():
    (missing, *_, odd) = sentences(b"sex,age,p\x1b]0;owned\x07ay\nf,40,1\n")
    assert missing == "people.csv pay: this column is missing"
    assert odd == r"people.csv p\x1b]0;owned\x07ay: this column is not in the schema"
