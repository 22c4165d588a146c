"""Schemas learned from files, with a reason for every decision."""

import json
from collections import Counter
from datetime import datetime

import openpyxl
import pytest
from benchmarks.own_data.ugly_table import write_table

from quintain.data import Schema
from quintain.data.learning.learn import CAUTION, learn
from quintain.data.own_files import csv_file
from quintain.data.own_files.reading import read_own
from quintain.errors import DataError


def decision(tmp_path, cells, name="x", separator=","):
    """What becomes of one column with these cells."""
    lines = [f"{name}{separator}other", *(f"{cell}{separator}o" for cell in cells)]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    return learn(tmp_path / "table.csv").decisions[0]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["3", "-1", "3"], {"kind": "integer", "low": -1, "high": 3}),
        (["3.0", "4.00"], {"kind": "integer", "low": 3, "high": 4}),
        (["3.5", "4"], {"kind": "real", "low": 3.5, "high": 4}),
        (["1e3", ".5"], {"kind": "real", "low": 0.5, "high": 1000}),
        (["3", "NA"], {"kind": "integer", "low": 3, "high": 3, "nullable": True, "missing": "NA"}),
        (["3", "NA", ""], {"kind": "integer", "low": 3, "high": 3, "nullable": True}),
        (["3", "none"], {"kind": "integer", "low": 3, "high": 3, "nullable": True}),
        (["some", "none"], {"kind": "category", "values": ["none", "some"]}),
        (["a", "?", "b"], {"kind": "category", "values": ["a", "b"], "nullable": True}),
        (["01", "02", "10"], {"kind": "category", "values": ["01", "02", "10"]}),
        (["true", "false"], {"kind": "category", "values": ["false", "true"]}),
        (["2011-01-02", "2011-02-28"], {"time_format": "%Y-%m-%d", "latest": "2011-02-28"}),
        (["31.01.2011", "01.02.2011"], {"time_format": "%d.%m.%Y", "earliest": "31.01.2011"}),
        (["13/01/2011", "1/2/2011"], {"time_format": "%d/%m/%Y", "latest": "01/02/2011"}),
        (["01/13/2011", "02/01/2011"], {"time_format": "%m/%d/%Y"}),
        (["20110102", "20110201"], {"kind": "time", "time_format": "%Y%m%d"}),
        (["20110102", "20110299"], {"kind": "integer"}),
        (["2011-01-02 03:04:05", "?"], {"time_format": "%Y-%m-%d %H:%M:%S", "nullable": True}),
        (["02 Jan 2011", "None"], {"time_format": "%d %b %Y", "nullable": True}),
        (["2011-02-31", "2011-02-28"], {"kind": "category"}),
        ([f"p{n}" for n in range(30)], {"kind": "id"}),
        ([str(n) for n in range(30)], {"kind": "id"}),
        ([str(10**17 + n * 7) for n in range(30)], {"kind": "id"}),
        (["5.5", "k.A.", "", "7", "7"], {"kind": "real", "nullable": True, "missing": "k.A."}),
        (["5", "k.A.", "unknown", "7", "7"], {"kind": "category"}),
        (["5", "5", "90+"], {"kind": "category"}),
        (["5", "<5"] * 9, {"kind": "category", "values": ["5", "<5"]}),
    ],
)
def test_a_column_is_learned_from_its_cells(tmp_path, cells, expected):
    column = decision(tmp_path, cells).column.model_dump(mode="json")
    assert {key: column[key] for key in expected} == expected


def test_a_decimal_comma_is_read_where_semicolons_separate_cells(tmp_path):
    made = decision(tmp_path, ["3,5", "4,25"], separator=";")
    assert (made.column.kind, made.column.high) == ("real", 4.25)
    assert "with a decimal comma" in made.reason


def test_whole_numbers_with_the_name_of_an_id_are_ids(tmp_path):
    for name in ("patient_id", "ID", "customerId", "Case No"):
        assert decision(tmp_path, ["7", "90", "8"], name).column.kind == "id"
    assert decision(tmp_path, ["7", "90", "8"], "paid").column.kind == "integer"
    assert decision(tmp_path, ["7", "90", "7"], "patient_id").column.kind == "integer"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["", "NA"], "every cell is missing"),
        ([f"the patient said {n} words today" for n in range(30)], "free text"),
    ],
)
def test_what_cannot_be_used_is_left_out_with_the_reason(tmp_path, cells, reason):
    made = decision(tmp_path, cells)
    assert made.column is None
    assert made.reason.startswith("left out: ")
    assert reason in made.reason


@pytest.mark.parametrize(
    ("cells", "form", "first"),
    [
        (["2011-01-02T03:04:05+01:00", "2011-07-02T03:04:05+02:00"], "T%H:%M:%SZ", "T02:04:05Z"),
        (["2011-01-02 03:04:05.250000", "2011-07-02 03:04:05"], " %H:%M:%S", " 03:04:05"),
        (["2011-01-02 00:30:00-05", "2011-07-02 03:04:05Z"], " %H:%M:%S", " 05:30:00"),
    ],
)
def test_times_with_zones_or_parts_of_seconds_are_times(tmp_path, cells, form, first):
    column = decision(tmp_path, cells * 20).column
    assert (column.kind, column.time_format) == ("time", "%Y-%m-%d" + form)
    assert column.earliest == "2011-01-02" + first


def test_a_day_that_could_be_a_month_is_pointed_out(tmp_path):
    assert "%m/%d/%Y fits all times as well" in decision(tmp_path, ["01/02/2011"] * 3).reason
    assert "fits all times as well" not in decision(tmp_path, ["13/02/2011"] * 3).reason


def test_the_word_that_spoils_a_column_of_numbers_is_named(tmp_path):
    cells = [f"{n}.5" for n in range(40)] + ["<5"]
    assert "most cells are numbers, but not '<5'" in decision(tmp_path, cells).reason


@pytest.mark.parametrize("cell", ["12%", "€ 12", "1'234"])
def test_numbers_with_units_or_marks_between_thousands_are_pointed_out(tmp_path, cell):
    made = decision(tmp_path, [cell, cell], separator=";")
    assert f"to use them as numbers, write {cell!r} as a plain number" in made.reason


def test_a_column_that_turns_out_to_be_words_late_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "_READ_AT_ONCE", 64)
    made = decision(tmp_path, ["1", "2"] * 40 + ["007"] + ["x"])
    assert made.column.values == ("007", "1", "2", "x")


def test_many_batches_give_what_one_batch_gives(tmp_path, monkeypatch):
    cells = [f"{n % 7}" if n % 3 else "" for n in range(200)]
    whole = decision(tmp_path, cells)
    monkeypatch.setattr(csv_file, "_READ_AT_ONCE", 64)
    assert decision(tmp_path, cells) == whole


UGLY = """id,age,sex,born,bmi,note,code
p1,40,f,31.01.1970,22.5,,007
p2,NA,m,1.2.1980,-,,010
p3,17.0,?,03.03.1999,30,,007
"""


def test_a_learned_schema_file_reads_its_own_file(tmp_path):
    (tmp_path / "table.csv").write_text(UGLY)
    learned = learn(tmp_path / "table.csv")
    schema = Schema.model_validate_json(learned.to_json())
    assert schema == learned.schema
    assert CAUTION in json.loads(learned.to_json())["caution"]
    assert [
        one["name"] for one in json.loads(learned.to_json())["columns"] if "learned" in one
    ] == list(learned.learned)
    assert '"left_out": [' in learned.to_json()
    assert learned.learned == ("id", "age", "sex", "born", "bmi", "code")
    rows = read_own(tmp_path / "table.csv", schema).records()
    assert [row["age"] for row in rows] == [40, None, 17]
    assert [row["code"] for row in rows] == ["007", "010", "007"]


def test_a_workbook_is_learned_like_a_csv_file(tmp_path):
    rows = [
        ("who", "age", "bmi", "seen", "code"),
        *(
            (f"p{n}", n % 9 or "NA", n / 4, datetime(2011, 1, 1 + n), f"{n % 3:02}")
            for n in range(25)
        ),
    ]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "table.xlsx")
    learned = learn(tmp_path / "table.xlsx")
    assert [(c.name, c.kind, c.nullable) for c in learned.schema.columns] == [
        ("who", "id", False),
        ("age", "integer", True),
        ("bmi", "real", False),
        ("seen", "time", False),
        ("code", "category", False),
    ]
    assert len(read_own(tmp_path / "table.xlsx", learned.schema)) == 25


def test_the_ugly_table_of_the_benchmark_is_learned_and_read(tmp_path):
    write_table(tmp_path / "table.csv", 400)
    learned = learn(tmp_path / "table.csv")
    assert len(learned.decisions) == 60
    assert {one.name for one in learned.decisions if one.column is None} == {"remark", "unused"}
    kinds = Counter(column.kind for column in learned.schema.columns)
    assert kinds == {"real": 24, "category": 15, "integer": 12, "time": 4, "id": 3}
    assert len(read_own(tmp_path / "table.csv", learned.schema)) == 400


def test_roles_and_shapes_are_given_and_checked(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("stay,hour,pulse,ward\n7,0,60,a\n7,1,,a\n8,0,70,b\n")
    roles = {"stay": "person", "hour": "time"}
    learned = learn(path, shape="series", roles=roles)
    assert [(c.name, c.kind, c.role) for c in learned.schema.columns] == [
        ("stay", "id", "person"),
        ("hour", "real", "time"),
        ("pulse", "real", ""),
    ]
    assert len(read_own(path, learned.schema)) == 2
    rows = learn(path, shape="transactions", roles=roles).schema
    assert all(column.nullable for column in rows.columns)
    with pytest.raises(DataError) as caught:
        learn(path, shape="transactions", roles={"who": "customer"})
    assert "who: the file has no such column" in str(caught.value)
    assert "need a column with the role time: --role COLUMN=time" in str(caught.value)
