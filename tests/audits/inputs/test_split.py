"""Splitting a control off: by people, at random, as it is written, the same bytes for a seed."""

import csv

import pyarrow as pa
import pyarrow.parquet
import pytest

from quintain.audits.split import split_file
from quintain.errors import DataError, QuintainError


def people(path, count=40):
    path.write_text("id,age\n" + "".join(f"{i},{20 + i}\n" for i in range(count)))
    return path


def rows(part):
    with part.path.open(newline="") as file:
        return list(csv.reader(file))[1:]


def test_the_parts_are_the_whole_and_share_nobody(tmp_path):
    data = people(tmp_path / "o.csv")
    first, control = split_file(data, tmp_path / "parts", share=0.3, seed=1)
    assert (first.rows, control.rows) == (28, 12)
    ids = [int(row[0]) for part in (first, control) for row in rows(part)]
    assert sorted(ids) == list(range(40))
    for part in (first, control):
        numbers = [int(row[0]) for row in rows(part)]
        assert numbers == sorted(numbers)
        assert part.path.stat().st_mode & 0o077 == 0


def test_a_seed_decides_every_byte(tmp_path):
    data = people(tmp_path / "o.csv")
    made = [
        [part.path.read_bytes() for part in split_file(data, tmp_path / str(i), seed=seed)]
        for i, seed in enumerate((5, 5, 6))
    ]
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_rows_of_one_person_stay_together(tmp_path):
    data = tmp_path / "visits.csv"
    data.write_text("who,day\n" + "".join(f"p{i % 10},{i}\n" for i in range(50)))
    first, control = split_file(data, tmp_path / "parts", unit="who")
    here, there = ({row[0] for row in rows(part)} for part in (first, control))
    assert not here & there
    assert (first.units, control.units) == (5, 5)
    assert (first.rows, control.rows) == (25, 25)


def test_rows_without_a_person_are_people_of_their_own(tmp_path):
    data = tmp_path / "visits.csv"
    data.write_text("who,day\n" + "".join(f",{i}\n" for i in range(10)))
    first, control = split_file(data, tmp_path / "parts", unit="who")
    assert (first.units, control.units) == (5, 5)


def test_cells_are_copied_as_they_are_written(tmp_path):
    data = tmp_path / "odd.csv"
    text = 'sep=;\r\n"na;me";wert\r\n"a\r\nb";3,5\r\n\r\nÄ;"4,5"\r\nc; 1'
    data.write_bytes(text.encode("cp1252"))
    first, control = split_file(data, tmp_path / "parts", share=0.34)
    both = [part.path.read_bytes().decode("cp1252") for part in (first, control)]
    head = 'sep=;\r\n"na;me";wert\r\n'
    assert all(content.startswith(head) for content in both)
    pieces = {'"a\r\nb";3,5\r\n', 'Ä;"4,5"\r\n', "c; 1\r\n"}
    assert all(sum(piece in content for content in both) == 1 for piece in pieces)
    assert (first.rows, control.rows) == (2, 1)


def test_parquet_stays_parquet(tmp_path):
    data = tmp_path / "o.parquet"
    pa.parquet.write_table(pa.table({"who": [1, 1, 2, 2], "x": [0.5, 1, 2, 3]}), data)
    first, control = split_file(data, tmp_path / "parts", unit="who")
    tables = [pa.parquet.read_table(part.path) for part in (first, control)]
    assert sorted(table.column("who").to_pylist() for table in tables) == [[1, 1], [2, 2]]


def test_what_cannot_be_split_is_refused_in_words(tmp_path):
    data = people(tmp_path / "o.csv")
    with pytest.raises(DataError, match="no such column; did you mean 'age'"):
        split_file(data, tmp_path / "parts", unit="agee")
    split_file(data, tmp_path / "parts")
    with pytest.raises(QuintainError, match="is not empty"):
        split_file(data, tmp_path / "parts")
    with pytest.raises(DataError, match="fewer than two people"):
        split_file(people(tmp_path / "one.csv", 1), tmp_path / "other")
