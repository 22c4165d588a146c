"""Beside a release with a claim, nothing that is shown or written tells of any record.

The same command runs on a table and on its neighbours: one record more or less, cells that the
schema does not allow, and no record at all. All runs end alike, and what they show and write is the
same but for the numbers, which follow from the noisy release.
"""

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import quintain as q
from quintain.cli.main import main
from quintain.data import Column, Schema
from quintain.data.learning.input_table import InputTable
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.errors import DataError, PartError
from quintain.releases import ReleaseCard

SCHEMA = Schema(
    columns=(
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="sex", kind="category", values=("f", "m")),
        Column(name="pay", kind="real", low=0, high=9000, nullable=True),
        Column(
            name="day", kind="time", time_format="%Y-%m-%d", earliest="2024-01-01",
            latest="2024-12-31",
        ),
    )
)  # fmt: skip
PLAIN = [
    (str(20 + row % 60), "fm"[row % 2], str(100 * (row % 7)), f"2024-0{1 + row % 9}-15")
    for row in range(120)
]
ODD = {
    "as it is": [],
    "one more": [("40", "f", "100", "2024-03-15")],
    "too old": [("104", "f", "100", "2024-03-15")],
    "no age": [("", "f", "100", "2024-03-15")],
    "words for a number": [("refused", "f", "a lot", "2024-03-15")],
    "part of a year": [("40.5", "f", "1e400", "2024-03-15")],
    "unknown sex": [("40", "x", "100", "2024-03-15")],
    "no sex": [("40", "", "100", "2024-03-15")],
    "late": [("40", "f", "100", "2033-03-15")],
    "no day": [("40", "f", "100", "soon")],
}
PARTS = ["independent", "mst", "privbayes", "aim"]


def tables():
    """The rows of each neighbour by its name."""
    return {name: PLAIN + more for name, more in ODD.items()} | {"nobody": []}


def without_numbers(text):
    """A text in which every number is the same; 'record' and 'records' are, too."""
    return re.sub(r"\d[\d,.e+-]*", "#", text).replace("records", "record")


def write_csv(path, rows, header="age,sex,pay,day"):
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n")


def run(capsys, *words):
    with pytest.raises(SystemExit) as done:
        main([str(word) for word in words])
    shown = capsys.readouterr()
    return done.value.code, shown.out, shown.err


def told(capsys, folder, use, *more):
    """Everything that a run of the command tells: its end, its texts, its files and their form."""
    out = folder / "out"
    out.mkdir()
    command = ["sanitize", folder / "in.csv", "--with", use, "--set", "epsilon=1", *more]
    code, said, warned = run(
        capsys, *command, "--schema", folder / "schema.json",
        "--out", out / "r.csv", "--card", out / "card.json",
    )  # fmt: skip
    files = sorted(path.name for path in out.iterdir())
    header = (out / "r.csv").read_text().splitlines()[0]
    card = (out / "card.json").read_text()
    texts = [without_numbers(text.replace(str(folder), "")) for text in (said, warned, card)]
    return code, *texts, files, header


@pytest.mark.slow
@pytest.mark.parametrize("use", PARTS)
def test_the_command_tells_the_same_of_neighbours(tmp_path, capsys, use):
    seen = {}
    for number, (name, rows) in enumerate(tables().items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_csv(folder / "in.csv", rows)
        (folder / "schema.json").write_text(SCHEMA.model_dump_json())
        seen[name] = told(capsys, folder, use)
    first = seen["as it is"]
    assert first[0] == 0
    assert {name: facts for name, facts in seen.items() if facts != first} == {}


def test_the_number_of_private_records_is_not_shown(tmp_path, capsys):
    write_csv(tmp_path / "in.csv", PLAIN)
    (tmp_path / "schema.json").write_text(SCHEMA.model_dump_json())
    command = ["sanitize", tmp_path / "in.csv", "--schema", tmp_path / "schema.json"]
    out = tmp_path / "r.csv"
    said = run(capsys, *command, "--with", "mst", "--set", "rows=77", "--out", out)[1]
    assert "77 records, made by mst" in said and "120" not in said
    plain = run(capsys, *command, "--with", "k-anonymity", "--out", out, "--replace")[1]
    assert "120 records, made from 120 by k-anonymity" in plain  # it claims nothing


def test_values_outside_are_refused_if_that_is_wanted_and_the_card_says_so(tmp_path, capsys):
    (tmp_path / "schema.json").write_text(SCHEMA.model_dump_json())
    command = ["sanitize", tmp_path / "in.csv", "--schema", tmp_path / "schema.json", "--with"]
    out = ["--out", tmp_path / "r.csv", "--outside", "refuse"]
    write_csv(tmp_path / "in.csv", PLAIN + ODD["too old"])
    code, _, warned = run(capsys, *command, "mst", *out)
    assert code == 1 and "age='104'" in warned
    assert run(capsys, *command, "k-anonymity", *out[:2])[0] == 1  # nothing is claimed
    write_csv(tmp_path / "in.csv", PLAIN)
    said = run(capsys, *command, "mst", *out)[1]
    assert "refused: that there is a release tells that no value was outside" in said


@pytest.mark.parametrize("missing", ["age", "sex"])
def test_a_column_that_is_not_there_is_refused_all_the_same(tmp_path, capsys, missing):
    header = "age,sex,pay,day".replace(missing, "x")
    write_csv(tmp_path / "in.csv", PLAIN, header)
    (tmp_path / "schema.json").write_text(SCHEMA.model_dump_json())
    code, _, warned = run(
        capsys, "sanitize", tmp_path / "in.csv", "--schema", tmp_path / "schema.json",
        "--with", "mst", "--out", tmp_path / "r.csv",
    )  # fmt: skip
    assert code == 1 and missing in warned


def frame(rows, library):
    """The rows with the types that a data frame has: numbers, texts and times."""
    ages, sexes, pays, days = zip(*rows, strict=True) if rows else ((), (), (), ())
    ages = [float(age) if age.replace(".", "").isdigit() else None for age in ages]
    pays = [float(pay) if pay != "a lot" else None for pay in pays]
    times = [None if day == "soon" else np.datetime64(day, "s") for day in days]
    table = pa.table(
        {
            "age": pa.array(ages, pa.float64()),
            "sex": pa.array(sexes, pa.string()).dictionary_encode(),
            "pay": pa.array(pays, pa.float64()),
            "day": pa.array(times, pa.timestamp("s")),
        }
    )
    return table.to_pandas() if library == "pandas" else table


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
@pytest.mark.parametrize("use", PARTS[:3])
def test_a_notebook_is_told_the_same_of_neighbours(use, library):
    seen = {}
    for name, rows in tables().items():
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            release = q.sanitize(use, frame(rows, library), schema=SCHEMA, epsilon=1, seed=1)
        texts = [
            repr(release),
            str(ReleaseCard.of(release)),
            *(str(note.message) for note in notes),
        ]
        seen[name] = [without_numbers(text) for text in texts], release.data.schema
    assert {name for name, facts in seen.items() if facts != seen["as it is"]} == set()


def test_parquet_and_csv_move_the_same_cells_to_the_same_places(tmp_path):
    rows = [row for more in ODD.values() for row in more if row[2] != "1e400"]
    write_csv(tmp_path / "in.csv", rows)
    pq.write_table(frame(rows, "pyarrow"), tmp_path / "in.parquet")
    one, other = (
        replace(InputTable.of(tmp_path / name), outside="clip").read(SCHEMA).records()
        for name in ("in.csv", "in.parquet")
    )
    assert one == other
    assert [record["age"] for record in one] == [40, 99, 0, 0, 40, 40, 40, 40]
    assert [record["sex"] for record in one][4:6] == ["f", "f"]
    assert [record["pay"] for record in one][3] is None
    assert [str(record["day"])[:10] for record in one][-2:] == ["2024-12-31", "2024-01-01"]


@pytest.mark.parametrize("owner", [None, ""])
def test_a_row_of_nobody_is_left_out(owner):
    rows = {"pid": [f"p{row // 2}" for row in range(40)], "sex": ["f", "m"] * 20}
    joined = {"pid": [*rows["pid"], owner], "sex": [*rows["sex"], "f"]}
    schema = Schema(columns=(Column(name="pid", kind="id"), SCHEMA["sex"]))
    facts = {"schema": schema, "epsilon": 1, "unit": "pid", "rows_per_unit": 2, "seed": 1}
    one, other = (q.sanitize("mst", pa.table(t), **facts).data for t in (rows, joined))
    assert one.equals(other)
    with pytest.raises((DataError, PartError), match="pid"):
        q.sanitize("mst", pa.table(joined), outside="refuse", **facts)


def test_the_number_of_records_is_in_no_card_of_a_trainer():
    table = frame(PLAIN, "pyarrow").select(["age", "sex"])
    schema = SCHEMA.select(["age", "sex"])
    facts = {"schema": schema, "label": "sex", "steps": 2, "seed": 1}
    cards = [
        json.loads(ReleaseCard.of(q.sanitize("train-dp-sgd", rows, **facts)).to_bytes())
        for rows in (table, table.slice(1))
    ]
    assert cards[0] == cards[1]


# --- several tables about the same people ---


def clinic(people, each, **more):
    """Patients, each with some visits, as frames; ``more`` are further rows by their table."""
    rows = {
        "patients": [(f"p{who}", "fm"[who % 2]) for who in range(people)],
        "visits": [(f"p{who}", str(day)) for who in range(people) for day in range(each)],
    }
    names = {"patients": ("pid", "sex"), "visits": ("pid", "dose")}
    tables = {}
    for name, row in rows.items():
        cells = [*row, *more.get(name, [])]
        columns = list(zip(*cells, strict=True)) if cells else [(), ()]
        kinds = (pa.string(), pa.string())
        tables[name] = pa.table(
            {
                column: pa.array(values, kind)
                for column, values, kind in zip(names[name], columns, kinds, strict=True)
            }
        )
    return tables


PEOPLE = PeopleSchema(
    tables=(
        TableSchema(name="patients", columns=(SCHEMA["sex"],), key="pid"),
        TableSchema(
            name="visits",
            columns=(Column(name="dose", kind="integer", low=0, high=9),),
            reference="pid",
            parent="patients",
        ),
    )
)
CLINICS = {
    "as it is": clinic(30, 2),
    "one more": clinic(31, 2),
    "a dose too high": clinic(30, 2, visits=[("p1", "104")]),
    "a dose in words": clinic(30, 2, visits=[("p1", "high")]),
    "no dose": clinic(30, 2, visits=[("p1", None)]),
    "a visit of a stranger": clinic(30, 2, visits=[("q7", "1")]),
    "a visit of nobody": clinic(30, 2, visits=[(None, "1")]),
    "a patient without a name": clinic(30, 2, patients=[(None, "f")]),
    "an unknown sex": clinic(30, 2, patients=[("q7", "x")]),
    "no visits": clinic(30, 0),
    "nobody": clinic(0, 0),
}


def test_a_release_of_several_tables_tells_the_same_of_neighbours(tmp_path, capsys):
    (tmp_path / "schema.json").write_text(PEOPLE.model_dump_json())
    seen = {}
    for number, (name, tables) in enumerate(CLINICS.items()):
        source, out = tmp_path / f"{number}-in", tmp_path / f"{number}-out"
        source.mkdir()
        for table, rows in tables.items():
            pc.write_csv(rows, source / f"{table}.csv")
        code, said, warned = run(
            capsys, "sanitize", source, "--schema", tmp_path / "schema.json",
            "--with", "people-marginals", "--set", "epsilon=3", "--out", out,
        )  # fmt: skip
        heads = {file.name: file.read_text().splitlines()[0] for file in sorted(out.iterdir())}
        texts = [without_numbers(text.replace("people", "person")) for text in (said, warned)]
        schema = (out / "schema.json").read_text()
        seen[name] = code, *texts, heads, schema
    first = seen["as it is"]
    assert first[0] == 0
    assert {name: facts for name, facts in seen.items() if facts != first} == {}


@pytest.mark.parametrize("name", ["a dose too high", "a visit of a stranger"])
def test_several_tables_are_refused_if_that_is_wanted(name):
    facts = {"schema": PEOPLE, "epsilon": 3, "seed": 1}
    with pytest.raises(DataError, match="visits"):
        q.sanitize("people-marginals", CLINICS[name], outside="refuse", **facts)


@pytest.mark.parametrize("name", ["a visit of a stranger", "a visit of nobody"])
def test_rows_of_nobody_change_nothing(name):
    facts = {"schema": PEOPLE, "epsilon": 3, "seed": 1}
    one, other = (
        q.sanitize("people-marginals", CLINICS[which], **facts) for which in ("as it is", name)
    )
    assert one.data.digest() == other.data.digest()


def test_a_key_that_two_rows_have_is_refused():
    twice = clinic(30, 2, patients=[("p1", "f")])
    with pytest.raises(DataError, match="expected each key once"):
        q.sanitize("people-marginals", twice, schema=PEOPLE, epsilon=3, seed=1)
