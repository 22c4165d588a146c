"""Files that are read apart: the same cells and the same words, and no trust in the reader."""

import struct

import numpy as np
import pytest

from quintain.data import Column, Limits, Schema
from quintain.data.files import read_cells, read_trusted, to_bytes
from quintain.data.files import subprocess_reader as files_apart
from quintain.data.files.subprocess_reader import (
    cells_apart,
    each_apart,
    json_apart,
    read_apart,
    rows_apart,
    unzip_apart,
)
from quintain.errors import DataError, Faults
from quintain.runs.submissions.upload import zip_bytes
from quintain.testing.examples import example
from tests.data.file_cases import BOM, GOOD, SCHEMA, parquet

CONTENTS = {
    "good.csv": GOOD,
    "bom.csv": BOM + GOOD.replace(b"\n", b"\r\n"),
    "bad.csv": b"sex,age,pay\n\nq,40,x\nf,40\nm,17,1\n\n,,,,\n",
    "empty.csv": b"",
    "header.csv": b"sex,age\n",
    "binary.csv": b"\x00\x01",
    "latin.csv": "sex,age,pay\né,1,1\n".encode("latin-1"),
    "none.csv": b"sex,age,pay\n",
    "good.parquet": parquet(sex=["f", "m"], age=[40, 17], pay=[1.5, None]),
    "bad.parquet": parquet(sex=["f", "q"], age=["40", "x"], pay=[1.5, 99.0]),
    "no.parquet": b"PAR1PAR1",
}


@pytest.mark.parametrize("name", CONTENTS)
def test_a_file_reads_the_same_apart_and_here(name):
    here, apart = Faults(name), Faults(name)
    expected = read_cells(CONTENTS[name], name, SCHEMA, faults=here)
    cells = cells_apart(CONTENTS[name], name, SCHEMA, faults=apart)
    assert list(map(str, apart)) == list(map(str, here))
    assert apart.total == here.total
    assert (cells is None) == (expected is None)
    if cells is not None:
        assert cells.rows.equals(expected.rows)
        assert {n: m.tolist() for n, m in cells.refused.items()} == {
            n: m.tolist() for n, m in expected.refused.items()
        }
        rows = range(len(cells.rows))
        assert [cells.line_of(row) for row in rows] == [expected.line_of(row) for row in rows]


@pytest.mark.parametrize("shape", ["table", "transactions", "series"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_every_shape_of_data_reads_the_same_apart(shape, suffix, tmp_path):
    data = example(shape, rows=20)
    path = tmp_path / f"data{suffix}"
    path.write_bytes(to_bytes(data, suffix))
    again = read_apart(path, data.schema)
    assert to_bytes(again, ".csv") == to_bytes(data, ".csv")


def test_a_fault_is_raised_with_its_line(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"sex,age,pay\nf,99,1\n")
    with pytest.raises(DataError, match=r"^a.csv:2 age='99': expected an integer in 17..90$"):
        read_apart(tmp_path / "a.csv", SCHEMA)


def test_a_file_that_needs_too_much_memory_is_refused_in_words():
    wide = Schema(columns=(Column(name="who", kind="id"),))
    content = b"who\n" + b"x" * 900_000 + b"\n" + b"y\n" * 100_000
    faults = Faults("a.csv")
    assert cells_apart(content, "a.csv", wide, faults=faults) is None
    assert [str(fault) for fault in faults] == ["a.csv: needs more than 1.5 GB of memory to read"]


def test_an_edition_that_raises_its_limits_is_obeyed(tmp_path):
    schema, path = Schema(columns=(SCHEMA["age"],)), tmp_path / "a.parquet"
    path.write_bytes(parquet(age=np.full(2_100_000, 40, np.int8)))
    with pytest.raises(DataError, match="2100000 rows x 1 columns; the limit is 2000000"):
        read_apart(path, schema)
    assert len(read_apart(path, schema, limits=Limits(rows=2_100_000))) == 2_100_000
    assert len(read_trusted(path, schema)) == 2_100_000


def test_raised_limits_raise_what_reading_may_use():
    assert Limits().allowance.memory == 1_500_000_000
    assert Limits(rows=8_000_000).allowance.memory == 6_000_000_000
    assert Limits(rows=8_000_000).allowance.seconds == 120
    assert Limits(rows=5).allowance == Limits().allowance


# --- readers that lie -----------------------------------------------------------------------------

ONE = Schema(columns=(SCHEMA["sex"],))
CODE = struct.pack("<i", 1).hex()


@pytest.fixture
def lying(monkeypatch):
    """Cells from a reader that answers as it likes."""
    monkeypatch.setattr(files_apart, "_MODULE", "tests.jobs.apart_cases")
    call = files_apart._call

    def read(table, *frames, schema=ONE):
        arguments = {"table": table, "frames": frames}
        monkeypatch.setattr(
            files_apart, "_call", lambda name, _, *rest: call("lie", arguments, *rest)
        )
        faults = Faults("a.csv")
        return cells_apart(GOOD, "a.csv", schema, faults=faults), [str(f) for f in faults]

    return read


def test_an_answer_of_the_right_form_is_believed(lying):
    cells, faults = lying({}, "", CODE)
    assert faults == []
    assert cells.rows.records() == [{"sex": "m"}]


@pytest.mark.parametrize(
    ("table", "frames"),
    [
        ({}, ("", struct.pack("<i", 7).hex())),  # a code without a value
        ({}, ("", struct.pack("<i", -2).hex())),
        ({}, ("", "00")),
        ({}, ("", CODE * 2)),
        ({}, ("",)),
        ({}, ("", CODE, CODE)),  # more than was asked for
        ({"rows": 3_000_000}, ("", CODE)),
        ({"rows": -1}, ("", CODE)),
        ({"rows": "x"}, ("", CODE)),
        ({"types": {"sex": "|O"}}, ("", CODE * 2)),
        ({"types": {"sex": "<U1"}}, ("", CODE)),
        ({"types": {}}, ("", CODE)),
        ({"refused": ["age"]}, ("", CODE, "00")),
        ({"refused": [5]}, ("", CODE, "00")),
        ({"blank": 3}, ("", CODE)),
        ({"rows": None}, ()),
    ],
)
def test_an_answer_that_was_not_asked_for_is_refused(lying, table, frames):
    cells, faults = lying(table, *frames)
    assert cells is None
    assert len(faults) == 1
    assert faults[0].startswith("a.csv: cannot be read")


def test_a_text_of_impossible_characters_is_refused(lying):
    people = Schema(columns=(Column(name="sex", kind="id"),))
    for code, believed in ((0x41, True), (0x110000, False)):
        cells, _ = lying(
            {"types": {"sex": "<U1"}}, "", struct.pack("<I", code).hex(), schema=people
        )
        assert (cells is not None) == believed


# --- archives, cards, scores ----------------------------------------------------------------------


def test_an_archive_comes_file_by_file():
    large = np.random.default_rng(0).bytes(3_000_000)
    content, faults = zip_bytes({"a/b.csv": large, "c": b""}), Faults("up.zip")
    parts = list(unzip_apart(content, Limits(), faults, folders=True))
    assert [part for part in parts if isinstance(part, str)] == ["a/b.csv", "c"]
    assert b"".join(part for part in parts if isinstance(part, bytes)) == large
    assert not faults


def test_a_broken_card_and_a_broken_table_are_refused():
    faults = Faults("card.json")
    assert json_apart(b"{", faults) is None
    assert str(faults.findings[0]).startswith("card.json: Invalid JSON: EOF while parsing")
    assert json_apart(b'{"a": [1, null]}', Faults()) == {"a": [1, None]}
    faults = Faults("cells.csv")
    assert rows_apart(b"\xff", faults) == []
    assert str(faults.findings[0]).startswith("cells.csv: cannot be read as CSV: 'utf-8' codec")
    assert rows_apart(b'a,"b\nc"\n\n', Faults()) == [["a", "b\nc"]]


def test_a_file_that_ends_its_process_stops_no_other():
    people = Schema(columns=(Column(name="who", kind="id"),))
    bomb = b"who\n" + b"x" * 900_000 + b"\n" + b"y\n" * 100_000
    files = {"a.csv": b"who\na\n", "b.csv": bomb, "c.csv": b"who\nc\n", "d.csv": b"what\n"}
    faults = {name: Faults(name) for name in files}
    cells = list(each_apart(files, people, faults))
    assert [None if one is None else one.rows.columns["who"].tolist() for one in cells] == [
        ["a"],
        None,
        ["c"],
        None,
    ]
    assert [faults[name].total for name in files] == [0, 1, 0, 2]
    assert str(faults["b.csv"].findings[0]) == "b.csv: needs more than 1.5 GB of memory to read"


def test_the_files_after_three_that_ended_their_process_are_refused_unread():
    people = Schema(columns=(Column(name="who", kind="id"),))
    bomb = b"who\n" + b"x" * 900_000 + b"\n" + b"y\n" * 100_000
    files = {f"{i}.csv": bomb for i in range(3)} | {"3.csv": b"who\na\n"}
    faults = {name: Faults(name) for name in files}
    assert list(each_apart(files, people, faults)) == [None] * 4
    sentence = "3.csv: is not read, because 3 files before it could not be read"
    assert [str(fault) for fault in faults["3.csv"]] == [sentence]
