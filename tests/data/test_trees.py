"""Trees: people in one flat file and back, and what is told of rows that belong nowhere."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.data import Column, Schema, shape_of
from quintain.data.columns import Columns
from quintain.data.files import read, read_bytes, write
from quintain.data.learning.decisions import shape_decisions
from quintain.data.people import MOST_ROWS, People
from quintain.data.people_files import SCHEMA_FILE, read_people, read_people_schema, write_people
from quintain.data.people_schema import PeopleSchema, TableSchema
from quintain.data.trees import Trees
from quintain.errors import DataError, Faults
from quintain.testing import example

AGE = Column(name="age", kind="integer", low=0, high=99)
DAY = Column(name="day", kind="time")
COST = Column(name="cost", kind="integer", low=0)  # without bounds, so it cannot be missing
DRUG = Column(name="drug", kind="category", values=("", "aspirin"))  # an empty text is a value
SCHEMA = PeopleSchema(
    tables=(
        TableSchema(name="patients", columns=(AGE,), key="pid"),
        TableSchema(
            name="visits",
            columns=(DAY, COST),
            parent="patients",
            key="vid",
            reference="pid",
            order=("day",),
        ),
        TableSchema(name="drugs", columns=(DRUG,), parent="visits", reference="vid"),
        TableSchema(name="bare", columns=(), reference="pid"),
    )
)
TABLES = {
    "patients": pd.DataFrame({"pid": ["eve", "bob", "joe"], "age": [40, 50, 60]}),
    "visits": pd.DataFrame(
        {
            "vid": [7, 3, 9],
            "pid": ["bob", "eve", "bob"],
            "day": pd.to_datetime(["2024-03-01", "2024-01-01", "2024-02-01"]),
            "cost": [5, 6, 7],
        }
    ),
    "drugs": pd.DataFrame({"vid": [9, 3, 9], "drug": ["aspirin", "", ""]}),
    "bare": pd.DataFrame({"pid": ["joe", "joe"]}),
}
FLAT = """\
table,person,row,of,patients.age,visits.day,visits.cost,drugs.drug
patients,eve,,,40,,,(none)
visits,eve,1,,,2024-01-01,6.0,(none)
drugs,eve,,1,,,,
patients,bob,,,50,,,(none)
visits,bob,2,,,2024-03-01,5.0,(none)
visits,bob,3,,,2024-02-01,7.0,(none)
drugs,bob,,3,,,,aspirin
drugs,bob,,3,,,,
patients,joe,,,60,,,(none)
bare,joe,,,,,,(none)
bare,joe,,,,,,(none)
"""


def clinic() -> Trees:
    return Trees.of(People.read(SCHEMA, TABLES))


def of_text(text: str, schema: Schema) -> Trees:
    faults = Faults("flat.csv")
    data = read_bytes(text.encode(), "flat.csv", schema, faults=faults)
    faults.raise_if_any(DataError)
    assert isinstance(data, Trees)
    return data


def test_a_flat_file_has_everybody_with_all_their_rows():
    trees = clinic()
    assert trees.to_rows().csv_bytes().decode() == FLAT
    assert of_text(FLAT, trees.schema).digest() == trees.digest()
    assert PeopleSchema.of_flat(trees.schema).flat() == trees.schema
    assert Schema.model_validate_json(trees.schema.model_dump_json()) == trees.schema


def test_schemas_of_other_shapes_are_written_as_before():
    assert "tables" not in Schema(columns=(AGE,)).model_dump_json()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_give_the_same_trees(tmp_path, suffix):
    trees = example("people")
    write(trees, tmp_path / f"people{suffix}")
    assert read(tmp_path / f"people{suffix}", trees.schema).digest() == trees.digest()


def test_a_folder_gives_the_same_trees(tmp_path):
    trees = example("people")
    write_people(trees, tmp_path)
    schema = read_people_schema(tmp_path / SCHEMA_FILE)
    again = Trees.of(read_people(tmp_path, schema=schema), trees.schema.title)
    assert again.digest() == trees.digest()
    assert again.people.tables["prescriptions"].parent.tolist() == (
        trees.people.tables["prescriptions"].parent.tolist()
    )


@pytest.mark.slow
@given(st.data())
@settings(max_examples=30, deadline=None)
def test_people_are_taken_with_all_their_rows_and_in_any_order(data):
    trees = example("people", rows=80)
    chosen = data.draw(st.lists(st.integers(0, len(trees) - 1), unique=True, min_size=1))
    some = trees.take(chosen)
    assert len(some) == len(chosen)
    assert some.digest() == Trees.from_rows(some.to_rows()).digest()
    for place, person in enumerate(chosen):
        assert some.take([place]).digest() == trees.take([person]).digest()
    if len(chosen) < len(trees):
        assert some.digest() != trees.digest()


def test_the_order_of_other_peoples_rows_changes_nothing():
    mixed = {**TABLES, "visits": TABLES["visits"].iloc[[1, 0, 2]]}
    assert Trees.of(People.read(SCHEMA, mixed)).digest() == clinic().digest()


def test_rows_need_not_be_in_the_order_of_time():
    visits = clinic().people.tables["visits"]
    bob = visits.index().rows(1)
    assert visits.rows.columns["day"][bob].tolist() == sorted(visits.rows.columns["day"][bob])


def test_people_without_rows_stay():
    schema = PeopleSchema(tables=(TableSchema(name="visits", columns=(AGE,), reference="pid"),))
    people = People.read(schema, {"visits": pd.DataFrame({"pid": ["eve", "bob"], "age": [1, 2]})})
    visits = people.tables["visits"]
    nothing = visits.take(np.array([0]), np.array([0]), np.array([0]), 2)
    trees = Trees.of(People(schema, 2, people.keys, {"visits": nothing}))
    assert trees.to_rows().csv_bytes().decode().splitlines()[-1] == ",bob,,,"
    assert of_text(trees.to_rows().csv_bytes().decode(), trees.schema).digest() == trees.digest()


def test_a_publication_hides_names_and_order_and_nothing_else():
    trees = example("people")
    shape = shape_of(trees)
    shown, persons = shape.publish(trees, rng=np.random.default_rng(1))
    assert shown.people.keys.tolist() == [str(n) for n in range(1, len(trees) + 1)]
    before, after = shape.record_keys(trees.take(persons)), shape.record_keys(shown)
    assert before.tolist() == after.tolist()
    days = shown.people.tables["visits"]
    for rows in map(days.index().rows, range(len(shown))):
        assert (np.diff(rows) > 0).all()  # visits are in the order of time


def test_equal_people_have_equal_keys():
    twins = {
        **TABLES,
        "patients": TABLES["patients"].assign(age=40),
        "visits": TABLES["visits"].assign(day="2024-01-01", cost=1, pid=["bob", "eve", "joe"]),
        "drugs": pd.DataFrame({"vid": [3, 7, 9], "drug": ["", "", "aspirin"]}),
        "bare": pd.DataFrame({"pid": ["joe"]}),
    }
    trees = Trees.of(People.read(SCHEMA, twins))
    eve, bob, joe = shape_of(trees).record_keys(trees).tolist()
    assert eve == bob != joe


def test_units_are_named_by_the_root():
    home = Column(name="home", kind="id", role="household")
    root = TableSchema(name="patients", columns=(home,), key="pid")
    table = pd.DataFrame({"pid": [1, 2, 3], "home": ["x", "y", "x"]})
    people = People.read(PeopleSchema(tables=(root,)), {"patients": table})
    trees = Trees.of(people)
    shape = shape_of(trees)
    assert shape.groups(trees).tolist() == [0, 1, 0]
    assert shape.units(trees, "person").tolist() == [0, 1, 2]
    assert shape.units(trees, "school") is None


WRONG = {
    "a key twice": (
        "visits,bob,3,,,2024-02-01,7.0,(none)",
        "visits,bob,2,,,2024-02-01,7.0,(none)",
        "flat.csv:7 row='2': expected each key once; flat.csv:6 has it, too",
    ),
    "a row of nobody": (
        "drugs,eve,,1,,,,",
        "drugs,eve,,8,,,,",
        "flat.csv:4 of='8': expected a key of visits; no row there has this one",
    ),
    "no row above": (
        "drugs,eve,,1,,,,",
        "drugs,eve,,,,,,",
        "flat.csv:4 of='': expected the key of a row of visits",
    ),
    "a row of somebody else": (
        "drugs,eve,,1,,,,",
        "drugs,bob,,1,,,,",
        "flat.csv:4 person='bob': expected 'eve', to whom the row of visits belongs",
    ),
    "a visit of nobody": (
        "visits,eve,1,,",
        "visits,zoe,1,,",
        "flat.csv:3 person='zoe': expected a key of patients; no row there has this one",
    ),
    "a person twice": (
        "patients,bob,,",
        "patients,eve,,",
        "flat.csv:5 person='eve': expected each key once; flat.csv:2 has it, too",
    ),
    "a person without a row in the root": (
        "patients,joe,,,60,,,(none)",
        ",joe,,,,,,(none)",
        "flat.csv:10 table='': expected the table of the row; everybody has a row in patients",
    ),
    "a cell of another table": (
        "patients,eve,,,40,,,(none)",
        "patients,eve,,,40,2024-01-01,,(none)",
        "flat.csv:2 visits.day: expected an empty cell, because this is a row of patients",
    ),
    "a cell that must not be empty": (
        "visits,eve,1,,,2024-01-01,6.0,(none)",
        "visits,eve,1,,,,6.0,(none)",
        "flat.csv:3 visits.day: expected a time written %Y-%m-%d",
    ),
    "a row above where there is none": (
        "patients,bob,,,",
        "patients,bob,,1,",
        "flat.csv:5 of: expected an empty cell, because rows of patients belong to people",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_rows_that_belong_nowhere_are_told(case):
    right, wrong, message = WRONG[case]
    assert FLAT.count(right) == 1
    text = FLAT.replace(right, wrong)
    with pytest.raises(DataError) as error:
        of_text(text, clinic().schema)
    assert message.replace("=''", "") in str(error.value).replace("=''", "")


def test_every_fault_is_told_at_once():
    text = FLAT
    for name in ("a key twice", "no row above", "a cell of another table"):
        text = text.replace(*WRONG[name][:2])
    with pytest.raises(DataError) as error:
        of_text(text, clinic().schema)
    assert {fault.line for fault in error.value.faults} >= {2, 4, 7}


def test_a_million_rows_of_one_person_are_refused():
    schema = PeopleSchema(tables=(TableSchema(name="visits", columns=(AGE,), reference="pid"),))
    table = {"pid": ["eve"] * (MOST_ROWS + 1), "age": np.zeros(MOST_ROWS + 1, int)}
    message = f"expected at most {MOST_ROWS} rows of one person; these are {MOST_ROWS + 1}"
    with pytest.raises(DataError, match=message) as error:
        People.read(schema, {"visits": pd.DataFrame(table)})
    assert error.value.faults[0].file == "visits" and error.value.faults[0].column == "pid"


def test_an_empty_child_is_no_fault():
    few = {**TABLES, "drugs": TABLES["drugs"][:0], "bare": TABLES["bare"][:0]}
    trees = Trees.of(People.read(SCHEMA, few))
    assert len(trees.people.tables["drugs"]) == 0
    assert Trees.from_rows(trees.to_rows()).digest() == trees.digest()


def test_tables_that_belong_to_each_other_are_refused():
    one = TableSchema(name="one", columns=(AGE,), parent="two", key="a", reference="b")
    two = TableSchema(name="two", columns=(AGE,), parent="one", key="b", reference="a")
    with pytest.raises(ValueError, match="in a circle: one -> two -> one"):
        PeopleSchema(tables=(one, two))
    own = TableSchema(name="own", columns=(AGE,), parent="own", key="a", reference="b")
    with pytest.raises(ValueError, match="in a circle: own -> own"):
        PeopleSchema(tables=(own,))


def test_names_of_tables_have_no_dot():
    table = TableSchema(name="visits.2024", columns=(AGE,), reference="pid")
    with pytest.raises(DataError, match=re.escape("visits.2024: has a dot in its name")):
        PeopleSchema(tables=(table,)).flat()


def test_the_schema_of_people_is_not_learned_from_one_file():
    with pytest.raises(DataError, match="people have several tables: learn the schema of a folder"):
        shape_decisions("visits.csv", [], "people", {})


def test_a_flat_schema_needs_its_tables():
    schema = Schema(shape="people", columns=clinic().schema.columns)
    with pytest.raises(DataError, match="has the shape people and no tables"):
        Trees.from_rows(Columns(schema, clinic().to_rows().columns))
