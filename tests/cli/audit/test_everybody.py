"""The command that audits a release about everybody, and those that lead to it."""

import json

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from tests.audits.audit_tables import people, written


def quintain(*arguments):
    return CliRunner().invoke(cli, ["audit", *map(str, arguments)])


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    table = people(80)
    folder = tmp_path_factory.mktemp("tables")
    return written(folder, people=table, release=people(80, seed=8))


@pytest.mark.slow
def test_the_verdict_numbers_and_report_are_like_those_of_other_audits(paths, tmp_path):
    done = quintain(
        *("everybody", "rr", "--data", paths["people"], "--release", paths["release"]),
        *("--set", "keep=0.999", "--folds", 2, "--out", tmp_path / "out"),
        *("--dossier", tmp_path / "dossier.md", "--recipient", "a ministry"),
        *("--fail-on", "cannot-say", "--seed", 3),
    )
    assert done.exit_code == 3, done.output
    assert "- Recipient: a ministry" in (tmp_path / "dossier.md").read_text()
    assert done.stdout.startswith("verdict: ")
    plain = json.loads((tmp_path / "out/audit.json").read_text())
    assert plain["command"] == (
        "quintain audit everybody rr --data people.csv --release release.csv --set keep=0.999 "
        "--folds 2 --seed 3"
    )
    assert plain["folds"]["left_out"] == [40, 40]
    assert "How everybody was audited" in (tmp_path / "out/report.html").read_text()


def test_folds_of_an_audit_of_a_release_lead_there(paths):
    done = quintain(
        *("release", "--original", paths["people"], "--release", paths["release"]),
        *("--folds", 4, "--unit", "house hold"),
    )
    assert done.exit_code == 2
    said = " ".join(done.output.replace("│", " ").split())
    assert "quintain audit everybody SANITIZER --data" in said
    assert "--folds 4 --unit 'house hold'" in said


@pytest.mark.slow
def test_a_command_of_another_maker_can_be_audited(paths, tmp_path):
    tool = tmp_path / "tool.py"
    tool.write_text("import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])\n")
    done = quintain(
        *("everybody", f"python {tool} {{input}} {{output}}", "--data", paths["people"]),
        *("--release", paths["release"], "--folds", 2, "--json"),
    )
    plain = json.loads(done.stdout)
    assert done.exit_code == 0
    assert plain["folds"]["sanitizer"] == "command"
    assert plain["p"] == 0.001
