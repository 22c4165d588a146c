"""The organisers' own file, read under a schema."""

import json
import re
import zipfile
from datetime import datetime

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quintain.data import Column, Schema
from quintain.data.learning.learn import learn
from quintain.data.own_files import typed
from quintain.data.own_files.reading import read_own
from quintain.data.own_files.typed import read_typed
from quintain.errors import DataError, MissingExtra

SCHEMA = Schema(
    columns=(
        Column(name="sex", kind="category", values=("f", "m"), nullable=True),
        Column(name="age", kind="integer", low=0, high=120, nullable=True),
        Column(name="bmi", kind="real", low=10, high=60, nullable=True),
        Column(name="day", kind="time", time_format="%d.%m.%Y", nullable=True),
    )
)


def read(tmp_path, text, schema=SCHEMA, name="table.csv"):
    (tmp_path / name).write_text(text)
    return read_own(tmp_path / name, schema)


def test_values_are_read_in_every_spelling_whose_meaning_is_clear(tmp_path):
    text = "sex;age;bmi;day;extra\nf;40.0;22,5;02.01.2011;x\n m ;+7;30;2.1.2011;y\n?;NA;-;n/a;z\n"
    rows = read(tmp_path, text).records()
    assert [list(row.values())[:3] for row in rows] == [
        ["f", 40, 22.5],
        ["m", 7, 30.0],
        [None, None, None],
    ]
    assert rows[0]["day"] == rows[1]["day"]
    assert rows[0]["day"].isoformat() == "2011-01-02T00:00:00+00:00"
    assert rows[2]["day"] is None


def test_a_word_for_missing_that_is_a_category_stays_one(tmp_path):
    column = Column(name="x", kind="category", values=("-", "NA", "a"), nullable=True)
    data = read(tmp_path, "x\n-\nNA\na\n?\n", Schema(columns=(column,)))
    assert [row["x"] for row in data.records()] == ["-", "NA", "a", None]


def test_a_decimal_comma_is_no_number_where_commas_separate_cells(tmp_path):
    schema = Schema(columns=(Column(name="x", kind="real"),))
    with pytest.raises(DataError, match="expected a number"):
        read(tmp_path, 'x\n"3,5"\n', schema)


def test_every_wrong_value_is_one_fault_with_its_first_line(tmp_path):
    text = "sex,age,bmi,day\nf,1,20,02.01.2011\nx,200,20,02.01.2011\n\nx,1,9,31.02.2011\n"
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert str(caught.value).splitlines() == [
        "table.csv:3 sex='x': expected one of 2 values such as f, m, or empty; "
        "so have 1 further rows",
        "table.csv:3 age='200': expected an integer in 0..120, or empty",
        "table.csv:5 bmi='9': expected a number in 10..60, or empty",
        "table.csv:5 day='31.02.2011': expected a time written %d.%m.%Y, or empty",
    ]


def test_columns_that_the_file_does_not_have_are_all_named(tmp_path):
    with pytest.raises(DataError) as caught:
        read(tmp_path, "sex,Age,bmi\nf,1,20\n")
    text = str(caught.value)
    assert "table.csv age: the file has no such column; did you mean 'Age'?" in text
    assert "table.csv day: the file has no such column" in text


def test_parquet_and_excel_give_the_same_records(tmp_path):
    days = [datetime(2011, 1, 2), None]
    table = pa.table({"sex": ["f", "?"], "age": [40, None], "bmi": [22.5, None], "day": days})
    pq.write_table(table, tmp_path / "table.parquet")
    book = openpyxl.Workbook()
    for row in (("sex", "age", "bmi", "day"), ("f", 40, 22.5, days[0]), ("?", None, None, None)):
        book.active.append(row)
    book.save(tmp_path / "table.xlsx")
    csv = read(tmp_path, "sex,age,bmi,day\nf,40,22.5,02.01.2011\n?,,,\n")
    for name in ("table.parquet", "table.xlsx"):
        assert read_own(tmp_path / name, SCHEMA).equals(csv)


def rewritten(path, old, new):
    """The same workbook with other XML in its first sheet."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            sheet = name.endswith("sheet1.xml")
            archive.writestr(name, re.sub(old, new, content, count=1) if sheet else content)


def saved_book(path, *rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_a_workbook_without_the_empty_cells_at_the_end_of_its_rows_is_read(tmp_path):
    path = saved_book(tmp_path / "table.xlsx", ("a", "b"), (1, 2), (3,), (5, 6))
    rewritten(path, rb"<dimension[^>]*/>", b"")
    assert read_typed(path).to_pydict() == {"a": [1, 3, 5], "b": [2, None, 6]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb"<sheetData>", b"<sheetData>&unknown;"),
        (rb"<sheetData>", b"<sheetData><row><c"),
        (rb'r="A1"', b'r="1A"'),
    ],
)
def test_a_damaged_workbook_is_refused_in_one_sentence(tmp_path, old, new):
    path = saved_book(tmp_path / "table.xlsx", ("a", "b"), (1, 2))
    rewritten(path, old, new)
    with pytest.raises(DataError, match=r"table.xlsx: is not a readable Excel workbook"):
        read_typed(path)


def test_a_workbook_that_unpacks_to_gigabytes_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(typed, "UNPACKED", 1000)
    path = saved_book(tmp_path / "table.xlsx", ("a", "b"), (1, 2))
    with pytest.raises(DataError, match=r"bytes when it is unpacked; the limit is 1000; save"):
        typed.read_workbook(path)


def test_a_workbook_without_its_reader_is_refused_with_the_command(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    (tmp_path / "table.xlsx").write_bytes(b"")
    with pytest.raises(MissingExtra, match=r"pip install 'quintain\[excel\]'"):
        read_own(tmp_path / "table.xlsx", SCHEMA)


def test_transactions_and_series_are_read_as_their_schema_says(tmp_path):
    person = Column(name="who", kind="id", role="person")
    bought = Schema(
        shape="transactions",
        columns=(person, Column(name="day", kind="time", role="time")),
    )
    purchases = read(tmp_path, "who,day\n9,2011-01-02\n4,2011-01-02\n9,2011-01-03\n", bought)
    assert len(purchases.persons()) == 2
    stays = Schema(
        shape="series",
        columns=(
            person,
            Column(name="hour", kind="real", role="time"),
            Column(name="pulse", kind="real", nullable=True),
        ),
    )
    series = read(tmp_path, "who,hour,pulse\na,0,60\na,1,NA\nb,0,70\n", stays)
    assert series.lengths.tolist() == [2, 1]


# --- descriptions by other tools ------------------------------------------------------------------

CSV = "id,sex,age,bmi,seen\np1,f,40,22.5,02/01/2011\np2,m,17,NA,31/01/2011\n"
SDV = {
    "METADATA_SPEC_VERSION": "SINGLE_TABLE_V1",
    "primary_key": "id",
    "columns": {
        "id": {"sdtype": "id"},
        "sex": {"sdtype": "categorical"},
        "age": {"sdtype": "numerical"},
        "bmi": {"sdtype": "numerical"},
        "seen": {"sdtype": "datetime", "datetime_format": "%d/%m/%Y"},
    },
}
CROISSANT = {
    "@context": {"@vocab": "https://schema.org/"},
    "@type": "sc:Dataset",
    "recordSet": [
        {
            "@id": "sexes",
            "dataType": "sc:Enumeration",
            "field": [{"@id": "sexes/name", "dataType": "sc:Text"}],
            "data": [{"sexes/name": "f"}, {"sexes/name": "m"}, {"sexes/name": "x"}],
        },
        {
            "@id": "people",
            "key": {"@id": "people/id"},
            "field": [
                {
                    "@id": f"people/{name}",
                    "dataType": kind,
                    "source": {"fileObject": {"@id": "table.csv"}, "extract": {"column": name}},
                    **({"references": {"field": {"@id": "sexes/name"}}} if name == "sex" else {}),
                }
                for name, kind in (
                    ("id", "sc:URL"),
                    ("sex", "sc:Text"),
                    ("age", "https://schema.org/Integer"),
                    ("bmi", "sc:Float"),
                    ("seen", "sc:Date"),
                )
            ],
        },
    ],
}


def described(tmp_path, content):
    (tmp_path / "table.csv").write_text(CSV)
    (tmp_path / "metadata.json").write_text(json.dumps(content))
    made = learn(tmp_path / "table.csv", stated=tmp_path / "metadata.json")
    assert len(read_own(tmp_path / "table.csv", made.schema)) == 2
    return made.schema, made.learned


def test_sdv_metadata_are_completed_from_the_data(tmp_path):
    schema, learned = described(tmp_path, SDV)
    assert schema["sex"].values == ("f", "m")
    assert (schema["age"].kind, schema["age"].low, schema["age"].high) == ("integer", 17, 40)
    assert (schema["bmi"].kind, schema["bmi"].missing) == ("real", "NA")
    assert (schema["seen"].earliest, schema["seen"].latest) == ("02/01/2011", "31/01/2011")
    assert schema["id"].role == "person"
    assert learned == ("sex", "age", "bmi", "seen")


def test_croissant_gives_kinds_enumerations_and_the_key(tmp_path):
    schema, learned = described(tmp_path, CROISSANT)
    assert schema["sex"].values == ("f", "m", "x")
    assert schema["seen"].time_format == "%d/%m/%Y"
    assert schema["id"].role == "person"
    assert learned == ("age", "bmi", "seen")


def test_bounds_of_a_frictionless_schema_are_kept(tmp_path):
    fields = [
        {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}},
    ]
    schema, learned = described(tmp_path, {"fields": fields})
    assert (schema["age"].low, schema["age"].high) == (0, 120)
    assert learned == ()


def test_a_description_of_other_data_is_refused_with_every_column(tmp_path):
    (tmp_path / "table.csv").write_text(CSV)
    fields = [{"name": "town", "type": "string"}, {"name": "x", "type": "geopoint"}]
    (tmp_path / "metadata.json").write_text(json.dumps({"fields": fields}))
    with pytest.raises(DataError) as caught:
        learn(tmp_path / "table.csv", stated=tmp_path / "metadata.json")
    assert "metadata.json town: the data file has no such column" in str(caught.value)
    assert "metadata.json x='geopoint': unknown kind of column" in str(caught.value)
