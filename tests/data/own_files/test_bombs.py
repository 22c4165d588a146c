"""Small files that stand for very much data end in a sentence, with little memory and soon."""

import resource
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quintain.data.own_files import typed
from quintain.data.own_files.memory import reading_memory
from quintain.data.own_files.typed import _table_of, read_typed
from quintain.data.people_files import read_people
from quintain.errors import DataError


def dictionary(path):
    """813 bytes: one text of 100 kB, and its number in every row."""
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 60_000, pa.int32()), ["x" * 100_000])
    pq.write_table(pa.table({"a": cells}), path, compression="zstd")


def rows(path):
    batch = pa.table({"a": pa.array([1] * 1_000_000, pa.int64())})
    with pq.ParquetWriter(path, batch.schema, compression="zstd") as writer:
        for _ in range(100):
            writer.write_table(batch, row_group_size=1_000_000)


def nested(path):
    cells = pa.array([[1] * 15_000_000], pa.list_(pa.int8()))
    pq.write_table(pa.table({"a": cells}), path, compression="zstd")


def sheet(path, rows=1_200_000):
    row = '<row r="{0}"><c r="A{0}"><v>1</v></c></row>'
    text = "".join(row.format(number) for number in range(1, rows))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet>{text}</worksheet>")


def levels(path):
    """One person with very many, very deep lists."""
    kind = pa.list_(pa.list_(pa.list_(pa.int8())))
    cells = pa.array([[[[1] * 300] * 300] * 150], kind)
    pq.write_table(pa.table({"a": cells}), path, compression="zstd")


def text(path):
    """One cell of 400 MB."""
    pq.write_table(pa.table({"a": ["x" * 400_000_000]}), path, compression="zstd")


def booleans(path):
    """Runs of one value, which take no space for any number of rows."""
    batch = pa.table({f"c{n}": pa.array([True] * 1_000_000) for n in range(20)})
    with pq.ParquetWriter(path, batch.schema, compression="zstd") as writer:
        for _ in range(5):
            writer.write_table(batch, row_group_size=1_000_000)


BOMBS = {"dictionary": dictionary, "rows": rows, "nested": nested, "levels": levels}
BOMBS |= {"text": text, "booleans": booleans}


FALSE = (1 << 20, 1 << 33, 1 << 40, (1 << 63) - 8)


def test_a_reader_that_was_taken_over_sends_false_lengths_in_vain():
    table = pa.table({"a": ["some text"] * 10, "b": list(range(10))})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream = sink.getvalue().to_pybytes()
    assert _table_of([stream[:100], stream[100:]], "t").equals(table)
    before, refused = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0
    for place in range(0, len(stream) - 8, 4):
        for length in FALSE:
            patched = stream[:place] + length.to_bytes(8, "little") + stream[place + 8 :]
            try:
                assert _table_of([patched], "t.parquet").num_rows <= 10
            except DataError as error:
                refused += "t.parquet" in str(error) and "its reader wrote no table" in str(error)
    assert refused > 100
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


LIES = {"fewer": 3, "more": 1 << 33, "most": (1 << 63) - 1}


@pytest.mark.parametrize("rows", LIES.values(), ids=LIES)
def test_a_parquet_file_that_lies_about_its_rows_is_refused(tmp_path, rows):
    path = tmp_path / "lies.parquet"
    pq.write_table(pa.table({"a": list(range(1 << 18))}), path)
    number, content = _zigzag(1 << 18), path.read_bytes()
    assert content.count(number) >= 2, "the footer says how many rows there are"
    lied = _zigzag(rows)
    footer = content.rindex(number)
    size = int.from_bytes(content[-8:-4], "little") + len(lied) - len(number)
    changed = content[:footer] + lied + content[footer + len(number) : -8]
    path.write_bytes(changed + size.to_bytes(4, "little") + b"PAR1")
    try:
        assert read_typed(path).num_rows <= 1 << 18
    except DataError as error:
        assert "lies.parquet" in str(error)


def _zigzag(number):
    """A whole number as the footers of Parquet files write it."""
    left, parts = number << 1, bytearray()
    while left > 127:
        parts.append(left & 127 | 128)
        left >>= 7
    return bytes([*parts, left])


@pytest.mark.slow
@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS)
def test_a_parquet_bomb_ends_in_a_sentence(tmp_path, make):
    path = tmp_path / "bomb.parquet"
    make(path)
    assert path.stat().st_size < 1_500_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with reading_memory(0.2), pytest.raises(DataError, match=r"memory.*--memory"):
        read_typed(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.slow
def test_a_workbook_with_more_rows_than_any_program_writes_is_refused(tmp_path):
    sheet(tmp_path / "rows.xlsx")
    with pytest.raises(DataError, match="more than 1048576 rows, the limit"):
        read_typed(tmp_path / "rows.xlsx")


def test_a_workbook_is_read_no_further_than_its_first_row_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(typed, "_MOST_SHEET_ROWS", 10)
    monkeypatch.setattr(typed, "_BLOCK", 1000)
    sheet(tmp_path / "rows.xlsx", 5_000)
    seen = []
    monkeypatch.setattr(typed._Extent, "add", _counted(typed._Extent.add, seen))
    with pytest.raises(DataError, match="more than 10 rows, the limit"):
        typed._check_archive(tmp_path / "rows.xlsx")
    assert len(seen) == 1


def _counted(work, seen):
    def add(*given):
        seen.append(given)
        return work(*given)

    return add


@pytest.mark.slow
@pytest.mark.parametrize(("length", "words"), [(20_000_000, "too big"), (900_000, "GB in its cel")])
def test_a_database_that_computes_its_cells_is_refused(tmp_path, length, words):
    place = tmp_path / "small.db"
    with sqlite3.connect(place) as file:
        long = f"hex(zeroblob({length // 2}))"
        file.execute(
            f"CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT GENERATED ALWAYS AS ({long}))"
        )
        file.executemany("INSERT INTO t (id) VALUES (?)", [(number,) for number in range(200)])
    assert place.stat().st_size < 10_000
    with reading_memory(0.1), pytest.raises(DataError, match=words):
        read_people(f"sqlite:///{place}", person="id")


@pytest.mark.slow
def test_more_memory_reads_more(tmp_path):
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"a": [f"{n}" * 20_000 for n in range(2_000)]}), path)
    with reading_memory(0.1), pytest.raises(DataError):
        read_typed(path)
    with reading_memory(1):
        assert read_typed(path).num_rows == 2_000


@pytest.mark.slow
def test_the_command_says_it_in_words(tmp_path):
    dictionary(tmp_path / "bomb.parquet")
    Path(tmp_path / "t.csv").write_text("a\nx\ny\n")
    words = ["audit", "release", "--original", "t.csv", "--release", "bomb.parquet"]
    done = subprocess.run(
        [sys.executable, "-m", "quintain", *words, "--workers", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "bytes and needs more than" in done.stderr and "--memory" in done.stderr
