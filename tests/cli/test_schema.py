"""The command schema: of edition files, and learned from a table."""

import json
import zipfile

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain.data import Schema
from quintain.data.people_files import read_people
from quintain.data.people_schema import PeopleSchema


def run(*words):
    return CliRunner().invoke(cli, ["schema", *map(str, words)])


@pytest.mark.slow
def test_without_a_command_it_prints_the_schema_of_editions():
    assert run().stdout == run("edition").stdout
    assert "dataset" in json.loads(run("edition").stdout)["properties"]


def test_learn_prints_a_schema_and_explains_it_on_the_error_output(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("age,sex,remark\n40,f,\n17,m,\n")
    done = run("learn", table)
    assert done.exit_code == 0
    assert Schema.model_validate_json(done.stdout).names == ("age", "sex")
    assert "table.csv: 2 rows; UTF-8, cells separated by commas" in done.stderr
    assert "  age     integer   whole numbers; low and high are those of the file" in done.stderr
    assert "  remark  -         left out: every cell is missing" in done.stderr
    assert "no privacy claim covers that" in done.stderr


def test_learn_takes_a_shape_and_roles(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("who,day\n9,2011-01-02\n9,2011-01-03\n")
    options = ("--shape", "transactions", "--role", "who=customer", "--role", "day=time")
    schema = Schema.model_validate_json(run("learn", table, *options).stdout)
    assert [(column.kind, column.role) for column in schema.columns] == [
        ("id", "customer"),
        ("time", "time"),
    ]


@pytest.mark.parametrize("role", ["who", "=person", "who="])
def test_a_role_without_its_column_is_refused(tmp_path, role):
    table = tmp_path / "table.csv"
    table.write_text("who\n9\n")
    done = run("learn", table, "--role", role)
    assert done.exit_code == 2
    assert "expected COLUMN=ROLE" in done.stderr


def write_shop(folder):
    (folder / "customers.csv").write_text("customer_id,country\n8,FR\n7,DE\n9,FR\n")
    (folder / "invoices.csv").write_text("no,customer_id,day\n1,7,2011-03-01\n2,7,2011-01-05\n")
    return folder


def test_learn_takes_a_folder_and_explains_keys_references_and_order(tmp_path):
    done = run("learn", write_shop(tmp_path))
    assert done.exit_code == 0
    schema = PeopleSchema.model_validate_json(done.stdout)
    assert [(t.name, t.key, t.reference, t.order) for t in schema.tables] == [
        ("customers", "customer_id", None, ()),
        ("invoices", None, "customer_id", ("day",)),
    ]
    for sentence in (
        "people: the column customer_id of customers names people, as its name says",
        "customers.csv: 3 rows; UTF-8, cells separated by commas\n  it has one row per person",
        "  its rows belong to people by customer_id: its name says so, and 100% of its values",
        "  ordered by day: it is a time",
        "  customer_id  -         the key: it names people",
        "no privacy claim covers that",
    ):
        assert sentence in done.stderr
    (tmp_path / "people.json").write_text(done.stdout)
    assert read_people(tmp_path, schema=tmp_path / "people.json").size == 3


def test_learn_takes_an_archive_and_the_column_that_names_people(tmp_path):
    (tmp_path / "shop").mkdir()
    files = write_shop(tmp_path / "shop").iterdir()
    with zipfile.ZipFile(tmp_path / "shop.zip", "w") as archive:
        for file in files:
            archive.write(file, file.name)
    done = run("learn", tmp_path / "shop.zip", "--person", "customer_id")
    assert "names people, as you say" in done.stderr
    assert PeopleSchema.model_validate_json(done.stdout).root.name == "customers"
    done = run("learn", tmp_path / "shop" / "invoices.csv", "--person", "customer_id")
    assert PeopleSchema.model_validate_json(done.stdout).root is None


def test_learn_says_which_options_are_for_one_table(tmp_path):
    done = run("learn", write_shop(tmp_path), "--role", "day=time")
    assert done.exit_code == 2
    assert "--shape and --role are for a single table" in done.stderr
