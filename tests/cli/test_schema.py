"""The command schema: of edition files, and learned from a table."""

import json

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from quintain.data import Schema


def run(*words):
    return CliRunner().invoke(cli, ["schema", *map(str, words)])


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
