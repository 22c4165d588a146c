"""How CSV files of other people are written."""

import pytest

from quintain.data.own_files import csv_file
from quintain.data.own_files.csv_file import read_dialect, text_batches
from quintain.errors import DataError


@pytest.fixture
def written(tmp_path):
    """Writes bytes to a file."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rows(path):
    batches = text_batches(path, read_dialect(path))
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a,b\n1,x\n", [("1", "x")]),
        ("a;b\n1,5;x\n", [("1,5", "x")]),
        ("a\tb\n1\tx, y\n", [("1", "x, y")]),
        ("a|b\n1|x\n", [("1", "x")]),
        ("sep=;\na;b\n1;x\n", [("1", "x")]),
        (b"\xef\xbb\xbfa,b\n1,x\n", [("1", "x")]),
        ("a,b\r\n1,x\r\n", [("1", "x")]),
        ("a,b\nM\u00fcller,x\n".encode("latin-1"), [("M\u00fcller", "x")]),
        ("a,b\n\u20ac,x\n".encode("cp1252"), [("\u20ac", "x")]),
        ("a,b\n\u00fc,x\n".encode("utf-16"), [("\u00fc", "x")]),
        ('a,b\n"x\ny","say ""hi"", she said"\n', [("x\ny", 'say "hi", she said')]),
        ("a\n1\n2\n", [("1",), ("2",)]),
        (" a , b \n1,x\n", [("1", "x")]),
        ("a,b\n\n1,x\n", [("1", "x")]),
        ("\na,b\n1,x\n", [("1", "x")]),
        ('a,"size\n(cm)"\n1,x\n', [("1", "x")]),
    ],
)
def test_many_ways_to_write_a_table_are_read(written, content, expected):
    path = written(content)
    assert rows(path) == expected
    assert read_dialect(path).names[0] == "a"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table.csv: the file is empty"),
        ("a,b,a,\n1,2,3,4\n", "table.csv:1: column 4 has no name; write one into the first line"),
        ("a,b,a,\n1,2,3,4\n", "table.csv:1 a: columns 1, 3 have the same name; rename all but one"),
        (b"\x1f\x8b\x08", "table.csv: is a gzip file; expected CSV text"),
        ("x" * 1_100_000, "table.csv:1: the first line has 1048576 characters or more; expected"),
        (f"{','.join(f'c{i}' for i in range(10_001))}\n", "has 10001 columns; the limit is 10000"),
    ],
)
def test_what_is_wrong_with_the_first_line_is_said(written, content, message):
    with pytest.raises(DataError) as caught:
        read_dialect(written(content))
    assert message in str(caught.value)


def test_a_name_on_two_lines_becomes_one_line(written):
    assert read_dialect(written('a,"size\n(cm)"\n1,x\n')).names == ("a", "size (cm)")


@pytest.mark.parametrize(
    ("content", "lines"),
    [("a,b\n1,2\n\n3\n4,5,6\n7,8\n", (4, 5)), ("sep=;\na;b\n3\n4;5;6\n7;8\n", (3, 4))],
)
def test_every_line_with_a_wrong_number_of_cells_is_said(written, content, lines):
    path = written(content)
    with pytest.raises(DataError) as caught:
        rows(path)
    assert str(caught.value).splitlines() == [
        f"table.csv:{lines[0]}: expected 2 cells, found 1",
        f"table.csv:{lines[1]}: expected 2 cells, found 3",
    ]


def test_a_long_header_is_read_whole(written):
    names = [f"column number {i}" for i in range(9_000)]
    assert len(",".join(names)) > 1 << 16
    assert read_dialect(written(",".join(names) + "\n")).names == tuple(names)


def test_a_row_that_is_too_long_is_refused_with_the_limit(written, monkeypatch):
    monkeypatch.setattr(csv_file, "_READ_AT_ONCE", 1000)
    path = written("a,b\n" + "x" * 5000 + ",1\n2,3\n")
    with pytest.raises(DataError, match=r"a row of more than 1000 bytes; is a quotation mark not"):
        rows(path)
