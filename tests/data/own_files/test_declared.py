"""Keys and references that databases and descriptions of tables state."""

import json
import sqlite3

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain.data.learning.people import learn_people
from quintain.data.own_files.database import open_database
from quintain.data.own_files.declared import declared_links
from quintain.data.people_files import open_tables, read_people
from quintain.data.sources.database_address import address_name, is_address
from quintain.errors import DataError

A, B = "a.csv", "b.csv"


def write_tables(folder):
    """Names that say nothing: only a description can tell what belongs to whom."""
    (folder / A).write_text("k,sex\n1,f\n2,m\n3,f\n4,m\n")
    (folder / B).write_text("z,day\n2,2011-01-01\n2,2011-01-03\n4,2011-02-01\n1,2011-02-02\n")
    return folder


FRICTIONLESS = {
    "resources": [
        {"name": "people", "path": "a.csv", "schema": {"primaryKey": "k", "fields": []}},
        {
            "name": "visits",
            "path": ["b.csv"],
            "schema": {
                "fields": [],
                "foreignKeys": [
                    {"fields": ["z"], "reference": {"resource": "people", "fields": ["k"]}}
                ],
            },
        },
    ]
}
_TABLES = {"a": {"primary_key": "k", "columns": {}}, "b": {"columns": {}}}
_RELATION = {
    "parent_table_name": "a",
    "parent_primary_key": "k",
    "child_table_name": "b",
    "child_foreign_key": "z",
}
SDV = {"METADATA_SPEC_VERSION": "V1", "tables": _TABLES, "relationships": [_RELATION]}
SDV_MULTI = {**SDV, "METADATA_SPEC_VERSION": "MULTI_TABLE_V1"}
SDV_OLD = {
    "tables": {
        "a": {"primary_key": "k", "fields": {"k": {"type": "id"}}},
        "b": {"fields": {"z": {"type": "id", "ref": {"table": "a", "field": "k"}}}},
    }
}
CROISSANT = {
    "@context": {},
    "distribution": [
        {"@id": "file-a", "contentUrl": "a.csv"},
        {"@id": "file-b", "contentUrl": "data/b.csv"},
    ],
    "recordSet": [
        {
            "@id": "people",
            "key": {"@id": "people/k"},
            "field": [
                {
                    "@id": "people/k",
                    "source": {"fileObject": {"@id": "file-a"}, "extract": {"column": "k"}},
                }
            ],
        },
        {
            "@id": "visits",
            "field": [
                {
                    "@id": "visits/who",
                    "source": {"fileObject": {"@id": "file-b"}, "extract": {"column": "z"}},
                    "references": {"field": {"@id": "people/k"}},
                }
            ],
        },
    ],
}


@pytest.mark.parametrize(
    "described", [FRICTIONLESS, SDV, SDV_MULTI, SDV_OLD, CROISSANT], ids=lambda d: next(iter(d))
)
def test_a_description_beside_the_tables_says_what_belongs_to_whom(tmp_path, described):
    folder = write_tables(tmp_path)
    with open_tables(folder) as tables, pytest.raises(DataError):
        learn_people(tables)  # numbers say nothing without it
    (folder / "description.json").write_text(json.dumps(described))
    links = declared_links(folder)
    assert links["a"].key == "k" and links["b"].references == {"z": ("a", "k")}
    people = read_people(folder)
    assert people.size == 4 and people.tables["b"].lengths().tolist() == [1, 2, 0, 1]
    with open_tables(folder) as tables:
        learned = learn_people(tables)
    assert learned.tables[1].place.endswith("by z: description.json says so")


def test_other_json_files_say_nothing(tmp_path):
    folder = write_tables(tmp_path)
    (folder / "x.json").write_text("[1, 2]")
    (folder / "y.json").write_text('{"tables": ["a"], "resources": 3, "recordSet": [5]}')
    (folder / "z.json").write_text("no JSON")
    assert declared_links(folder) == {}


# --- databases ---


@pytest.fixture
def address(tmp_path):
    file = tmp_path / "hospital.db"
    with sqlite3.connect(file) as base:
        base.executescript(
            """
            CREATE TABLE a (k INTEGER PRIMARY KEY, sex TEXT, born DATE);
            CREATE TABLE b (z INTEGER REFERENCES a (k), day TEXT, dose REAL, photo BLOB);
            CREATE TABLE "odd name" (x INTEGER);
            INSERT INTO a VALUES (1, 'f', '1990-01-01'), (2, 'm', '1991-01-01'), (3, 'f', NULL);
            INSERT INTO b VALUES (2, '2011-01-01', 1.5, x'00ff'), (2, '2011-01-03', NULL, NULL);
            INSERT INTO b VALUES (1, '2011-02-01', 2, NULL), (NULL, '2011-02-05', 2.5, NULL);
            """
        )
    return f"sqlite:///{file}"


def test_tables_of_a_database_come_with_their_keys_and_references(address):
    with open_database(f"{address}#a,b") as tables:
        assert list(tables) == ["a", "b"]
        assert tables["a"][1].key == "k" and tables["b"][1].references == {"z": ("a", "k")}
        assert tables["b"][0]["dose"].to_pylist() == [1.5, None, 2.0, 2.5]
    people = read_people(f"{address}#a,b")
    assert people.size == 3 and people.tables["b"].lengths().tolist() == [1, 2, 0]
    with open_tables(f"{address}#a,b") as tables:
        assert learn_people(tables).tables[1].place.endswith("the database says so")


def test_a_database_is_never_written(address):
    import sqlalchemy as sa

    from quintain.data.own_files import database

    engine = sa.create_engine(database._read_only_address(address))
    with engine.connect() as connection, pytest.raises(sa.exc.OperationalError, match="readonly"):
        connection.exec_driver_sql("INSERT INTO a VALUES (9, 'f', NULL)")


def test_tables_that_are_not_there_are_named(address):
    with (
        pytest.raises(DataError, match=r"has no table 'c'") as error,
        open_database(f"{address}#c,d"),
    ):
        pass
    assert "has no table 'd'" in str(error.value)
    with (
        pytest.raises(DataError, match="no such database file"),
        open_database("sqlite:///none.db"),
    ):
        pass


def test_no_message_has_a_password():
    address = "nosuch://eve:secret@server/hospital"
    assert is_address(address) and "secret" not in address_name(address)
    with pytest.raises(DataError, match="no driver") as error, open_database(address):
        pass
    assert "secret" not in str(error.value)


def test_the_command_learns_from_a_database(address):
    done = CliRunner().invoke(cli, ["schema", "learn", f"{address}#a,b"])
    assert done.exit_code == 0, done.output
    assert "the database says so" in done.stderr
    assert json.loads(done.stdout)["tables"][1]["reference"] == "z"
