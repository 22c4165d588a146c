"""The command that audits a sanitizer: what it prints and writes, and with which code it ends."""

import json

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from tests.audits.games.planted import small_table


def quintain(*arguments):
    return CliRunner().invoke(cli, ["audit", "sanitizer", *map(str, arguments)])


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "people.csv"
    small_table().to_csv(path)
    return path


QUICK = ("--runs", 10, "--targets", 10, "--no-attacks", "--workers", 1)


def test_it_prints_the_verdict_and_every_bound_with_its_ceiling(table, tmp_path):
    done = quintain("rr", "--data", table, "--set", "keep=0.1", *QUICK, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "verdict: cannot-say" in done.output
    assert "with 10 runs, no attack could have shown more than" in done.output
    assert "joint-exact" in done.output and "a perfect attack shows" in done.output
    numbers = json.loads((tmp_path / "out/audit.json").read_bytes())
    assert numbers["format"] == "quintain.sanitizer-audit/1"
    assert numbers["inputs"][0]["name"] == "people.csv"
    assert "--data people.csv --set keep=0.1 --runs 10" in numbers["command"]
    assert "<html" in (tmp_path / "out/report.html").read_text()


@pytest.mark.slow
def test_a_sweep_prints_json_alone_and_the_exit_code_follows_the_verdict(table):
    swept = ("independent", "--data", table, "--sweep", "epsilon=0.5,2", *QUICK, "--json")
    done = quintain(*swept, "--fail-on", "cannot-say")
    assert done.exit_code == 3
    audit = json.loads(done.stdout)
    assert [setting["parameters"]["epsilon"] for setting in audit["settings"]] == [0.5, 2]


def test_mistakes_are_sentences(table):
    done = quintain("mst", "--data", table, "--sweep", "epsilon")
    assert done.exit_code == 2 and "expected NAME=VALUE,VALUE" in done.output
    done = quintain("mst", "--data", table, "--runs", 3)
    assert "3 runs show nothing; the least is 10" in str(done.exception)


@pytest.mark.slow
def test_a_command_of_another_maker_is_caught_with_a_wrong_claim(table):
    copies = ("cp {input} {output}", "--data", table, *QUICK[2:], "--runs", 20, "--claims", 0.1)
    done = quintain(*copies, "--json")
    assert done.exit_code == 0, done.output
    audit = json.loads(done.stdout)
    assert audit["verdict"] == "unsafe" and audit["settings"][0]["claim"]["epsilon"] == 0.1
    assert "'cp {input} {output}'" in audit["command"] and "--claims 0.1" in audit["command"]
