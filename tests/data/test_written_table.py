"""Tables with the cells of their file: what a program of another maker gets."""

import csv
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.data.written_table import WrittenTable, written_numbers


def written(path):
    source = InputTable.of(path, header=True)
    table = learn(source).read(source)
    return WrittenTable(table.schema, table.columns, source.read_cells())


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["7", "12", ""], "int64"),
        (["-3", "0"], "int64"),
        (["1.0", "2.5"], "double"),
        (["1", "2.5"], "double"),
        (["1.50", "2.00"], "double"),
        (["7", "NA"], "int64"),
        (["7", "NA", ""], "string"),
        (["007", "12"], "string"),
        (["1.0", "1"], "string"),
        (["1.50", "2"], "string"),
        (["2017-01", "2018-12"], "string"),
        (["2017-01-05"], "string"),
        (["TRUE", "FALSE"], "string"),
        (["true", ""], "string"),
        (["1e5", "200000.0"], "string"),
        (["+4917", "+4918"], "string"),
        (["1,5", "2,5"], "string"),
        (["99999999999999999999"], "string"),
        (["0.1", "0.10000000000000001"], "string"),
        (["-0", "1"], "string"),
        (["12:30", "nan"], "string"),
        (["", ""], "string"),
    ],
)
def test_only_numbers_whose_writing_follows_from_them_are_numbers(texts, kind):
    cells = pa.chunked_array([texts])
    numbers = written_numbers(cells)
    assert str(cells.type if numbers is None else numbers.read(cells).type) == kind


ROWS = [
    ["born", "code", "size", "agreed", "gap", "note"],
    ["2017-01", "007", "1.50", "TRUE", "", " two  spaces "],
    ["2018-12", "010", "2.00", "FALSE", "x", 'a "quote", a comma'],
    ["2019-03", "007", "2.25", "TRUE", "NA", "é"],
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows(ROWS)
    return path


def test_a_command_gets_the_texts_of_the_file(file):
    again = list(csv.reader(io.StringIO(written(file).cells.csv_bytes().decode())))
    assert again == ROWS


def test_a_function_gets_texts_as_they_are_and_numbers_as_numbers(file):
    frame = written(file).cells.to_arrow()
    for name in ("born", "code", "agreed", "note"):
        place = ROWS[0].index(name)
        assert frame.column(name).to_pylist() == [row[place] for row in ROWS[1:]]
    assert frame.column("gap").to_pylist() == [None, "x", "NA"]
    assert frame.column("size").to_pylist() == [1.5, 2.0, 2.25]


def test_a_part_of_the_rows_has_the_kinds_of_the_whole(file):
    part = written(file).take([1, 2]).take(np.array([True, False]))
    assert part.cells.to_arrow().to_pylist()[0]["code"] == "010"
    assert part.cells.to_arrow().schema == written(file).cells.to_arrow().schema


def test_columns_that_are_dropped_are_no_cells_any_more(file):
    less = written(file).drop("born")
    assert "born" not in less.cells.table.column_names
    assert "note" in less.cells.table.column_names  # it was never a column of the table


def test_a_made_up_record_is_written_as_others_write_its_values(file):
    table = written(file)
    made = table.take([1]).columns
    more = table.concat(type(table).__mro__[1](table.schema, made))
    row = more.cells.table.to_pylist()[-1]
    assert (row["born"], row["code"], row["size"]) == ("2018-12", "010", "2.00")


def test_frames_keep_their_types():
    frame = pd.DataFrame({"when": pd.to_datetime(["2017-01-01", None]), "yes": [True, False]})
    kinds = [str(one.type) for one in InputTable.of(frame).read_cells().to_arrow().schema]
    assert kinds[1] == "bool" and kinds[0].startswith("timestamp")
