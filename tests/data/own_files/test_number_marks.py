"""Numbers with marks between thousands: read where the file explains them, else asked about."""

import openpyxl
import pandas as pd
import pytest

from quintain import decimal_mark
from quintain.data import Column, Schema
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.own_files import csv_file
from quintain.data.own_files.number_marks import Marks, seen_in, settle_marks
from quintain.data.own_files.reading import read_own
from quintain.errors import DataError


def write(tmp_path, separator, **columns):
    rows = zip(*columns.values(), strict=True)
    quoted = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in rows]
    lines = [separator.join(row) for row in [list(columns), *quoted]]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def values(path, name="x"):
    schema = learn(path).schema
    return [row[name] for row in read_own(path, schema).records()]


NAMES = ["a", "b", "c", "a"]


@pytest.mark.parametrize(
    ("separator", "cells", "expected"),
    [
        (";", ["1.940,49", "12,5", "2.500", "7"], [1940.49, 12.5, 2500, 7]),
        (",", ["1,940.49", "12.5", "2,500", "7"], [1940.49, 12.5, 2500, 7]),
        (",", ["1.940,49", "12,5", "2.500", "7"], [1940.49, 12.5, 2500, 7]),
        (";", ["1 940,49", "12,5", "2\u202f500", "7"], [1940.49, 12.5, 2500, 7]),
        (",", ["1'940.49", "12.5", "-2'500", "7"], [1940.49, 12.5, -2500, 7]),
        (";", ["1.940.000", "12", "-2.500", "7"], [1940000, 12, -2500, 7]),
        (";", ["0,125", "1,940", "2,5", "7"], [0.125, 1.94, 2.5, 7]),
        (",", ["1.732", "1.804", "1.650", "7"], [1.732, 1.804, 1.65, 7]),
        (";", ["1.940,49", "NA", "2.500", "7"], [1940.49, None, 2500, 7]),
    ],
)
def test_numbers_of_one_column_explain_each_other(tmp_path, separator, cells, expected):
    assert values(write(tmp_path, separator, x=cells, other=NAMES)) == expected


def test_the_reason_names_a_number_with_marks(tmp_path):
    made = learn(write(tmp_path, ";", x=["1.940,49", "12,5"], other=["a", "b"])).decisions[0]
    assert "with a decimal comma, with marks between thousands such as '1.940,49'" in made.reason


def test_other_columns_explain_numbers_that_can_be_read_in_two_ways(tmp_path):
    path = write(tmp_path, ";", x=["1.940", "812"], y=["3,5", "4"])
    assert values(path) == [1940, 812]
    alone = Schema(columns=(Column(name="x", kind="integer", low=0, high=5000),))
    assert [row["x"] for row in read_own(path, alone).records()] == [1940, 812]
    assert values(write(tmp_path, ",", x=["1,940", "812"], y=["3.5", "4"])) == [1940, 812]


@pytest.mark.parametrize(("separator", "cell"), [(";", "1.940"), (";", "1,940"), (",", "1,940")])
def test_what_nothing_explains_is_asked_for_with_column_and_line(tmp_path, separator, cell):
    path = write(tmp_path, separator, x=["812", cell, "17", "7"], other=NAMES)
    for ask in (learn, lambda path: read_own(path, REALS)):
        with pytest.raises(DataError) as caught:
            ask(path)
        text = str(caught.value)
        assert text.startswith(f"table.csv:3 x: {cell!r} can be 1940 or 1.94, and no other number")
        other = {".": ",", ",": "."}[cell[1]]
        assert f"--decimal-mark {other} for 1940, or --decimal-mark {cell[1]} for 1.94" in text
    with decimal_mark(other):
        assert values(path) == [812, 1940, 17, 7]
    with decimal_mark(cell[1]):
        assert values(path) == [812, 1.94, 17, 7]


REALS = Schema(columns=(Column(name="x", kind="real"),))


def test_numbers_by_different_rules_are_words_and_both_are_named(tmp_path):
    path = write(tmp_path, ";", x=["1.940,49", "1,940.49", "3"], other=["a", "b", "c"])
    made = learn(path).decisions[0]
    assert made.column.kind == "category"
    assert "'1.940,49' and '1,940.49' are written by different rules" in made.reason
    with pytest.raises(DataError, match=r"table.csv:2 x='1.940,49': expected a number"):
        read_own(path, REALS)


def test_codes_in_groups_are_no_numbers(tmp_path):
    made = learn(write(tmp_path, ",", x=["123.456.789", "321.456.789"] * 2, other=NAMES))
    assert made.decisions[0].column.kind == "category"


def test_a_late_number_explains_early_ones(tmp_path, monkeypatch):
    cells = ["1.940", "2.500"] * 40 + ["3,5"]
    path = write(tmp_path, ";", x=cells, other=["o"] * len(cells))
    whole = learn(path).decisions
    monkeypatch.setattr(csv_file, "_READ_AT_ONCE", 64)
    assert learn(path).decisions == whole
    assert values(path)[-2:] == [2500, 3.5]
    path = write(tmp_path, ",", x=["1,940", *["5"] * 80, "2,500.5"], other=["o"] * 82)
    assert values(path)[0] == 1940


def test_texts_of_frames_and_workbooks_are_read_where_they_explain_themselves(tmp_path):
    frame = pd.DataFrame({"x": ["1.940,49", "2.500", "3"], "y": ["1,940", "2,500", "3"]})
    learned = learn(frame)
    assert [made.column.kind for made in learned.decisions] == ["real", "category"]
    read = learned.read(InputTable.of(frame)).records()
    assert [row["x"] for row in read] == [1940.49, 2500, 3]
    book = openpyxl.Workbook()
    for row in (("x", "other"), ("1.940,49", "a"), ("2.500", "b"), ("3", "c")):
        book.active.append(row)
    book.save(tmp_path / "table.xlsx")
    assert values(tmp_path / "table.xlsx") == [1940.49, 2500, 3]


def test_a_mark_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"expected '\.' or ','"), decimal_mark(";"):
        pass


def test_a_said_mark_is_for_open_numbers_only():
    with decimal_mark("."):
        assert settle_marks(seen_in(["1.940", "2,5"]), separator=";") == Marks(True, ".")
