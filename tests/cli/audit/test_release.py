"""The commands of the audit: what they print and write, and with which code they end."""

import json
import re
import shlex
import subprocess
import sys

import pytest
from click.testing import CliRunner

from quintain.cli.main import cli
from tests.audits.audit_tables import three, written


def quintain(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    original, strangers, control = three(100)
    return written(
        tmp_path_factory.mktemp("tables"),
        original=original,
        release=strangers,
        copies=original.take(range(80)).concat(strangers.take(range(20))),
        control=control,
    )


def arguments(paths, release="copies"):
    return [
        *("audit", "release", "--original", paths["original"], "--release", paths[release]),
        *("--control", paths["control"]),
    ]


@pytest.fixture(scope="module")
def audited(paths, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "new"
    return quintain(*arguments(paths), "--out", out, "--fail-on", "unsafe"), out


@pytest.mark.slow
def test_a_bad_verdict_can_end_with_a_code(audited):
    done, _ = audited
    assert done.exit_code == 3
    assert done.stdout.startswith("verdict: unsafe: ")
    for word in (
        "exposed share",
        "advantage",
        "Verbatim copies: ",
        "nameable records",
        "smallest detectable",
        "limits:",
        "inference",
    ):
        assert word in done.stdout


def test_numbers_and_report_are_written_for_their_owner_alone(audited):
    _, out = audited
    assert sorted(path.name for path in out.iterdir()) == ["audit.json", "report.html"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in out.iterdir())
    plain = json.loads((out / "audit.json").read_text())
    assert plain["verdict"] == "unsafe"
    assert plain["command"].startswith("quintain audit release --original original.csv ")
    assert "unsafe" in (out / "report.html").read_text().lower()


def test_nothing_is_overwritten(paths, audited):
    _, out = audited
    before = (out / "audit.json").read_bytes()
    done = quintain(*arguments(paths), "--out", out)
    assert done.exit_code == 2
    assert re.search("is not empty: name a new folder", done.output)
    assert (out / "audit.json").read_bytes() == before


@pytest.mark.slow
def test_json_is_json_and_nothing_else(paths):
    done = quintain(*arguments(paths, "release"), "--json", "--knows", "age,sex", "--seed", 2)
    plain = json.loads(done.stdout)
    assert done.exit_code == 0
    assert plain["seed"] == 2
    assert "--knows age,sex --seed 2" in plain["command"]


def test_the_code_is_zero_unless_a_verdict_is_named(paths):
    given = arguments(paths)[:6]
    assert quintain(*given).exit_code == 0
    assert quintain(*given, "--fail-on", "cannot-say").exit_code == 3


@pytest.mark.slow
def test_faults_are_sentences(paths, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("age,sex\n1,f,3\n2\n")
    command = [sys.executable, "-m", "quintain", *arguments({**paths, "copies": bad})]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "bad.csv:2: expected 2 cells, found 3" in done.stderr
    assert "bad.csv:3: expected 2 cells, found 1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistyped_command_is_explained():
    done = quintain("audit", "relase")
    assert done.exit_code == 2
    assert "did you mean 'release'" in done.output


def test_split_tells_the_next_command(paths, tmp_path):
    done = quintain("audit", "split", "--data", paths["original"], "--out", tmp_path / "parts")
    assert done.exit_code == 0
    assert "50 rows" in done.stdout
    assert f"--control {tmp_path / 'parts/control.csv'} --out audited" in done.stdout
    assert "--unit" not in done.stdout
    assert "made without the control" in " ".join(done.stdout.split())
    assert "quintain audit everybody" in " ".join(done.stdout.split())


def test_the_next_command_after_a_split_names_the_unit(paths, tmp_path):
    given = ("audit", "split", "--data", paths["original"], "--out", tmp_path / "the parts")
    done = quintain(*given, "--unit", "town", "--header")
    command = next(line for line in done.stdout.splitlines() if "audit release" in line)
    words = shlex.split(command)
    assert words[words.index("--unit") + 1] == "town"
    assert "--header" in words
    assert str(tmp_path / "the parts/control.csv") in words


@pytest.mark.parametrize(
    "name", ["patient", "pid", "Fallnr", "Kunden-Nr.", "personne_id", "ID_Client", "N° client"]
)
def test_split_by_rows_warns_if_a_column_seems_to_say_whose_row_it_is(tmp_path, name):
    data = tmp_path / "visits.csv"
    data.write_text(f"{name},town\n" + "".join(f"p{row // 3},{row % 5}\n" for row in range(60)))
    rows = quintain("audit", "split", "--data", data, "--out", tmp_path / "rows")
    assert rows.exit_code == 0
    assert f"warning: The column '{name}' has 20 different values in 60 rows" in rows.stderr
    people = quintain("audit", "split", "--data", data, "--out", tmp_path / "p", "--unit", name)
    assert people.stderr == ""


@pytest.mark.parametrize("suffix", [".html", ".md", ".txt", ".json"])
def test_a_dossier_names_the_recipient_and_is_written_as_its_name_says(paths, tmp_path, suffix):
    target = tmp_path / f"dossier{suffix}"
    done = quintain(
        *arguments(paths)[:-2],
        *("--dossier", target, "--recipient", "a ministry", "--means", "a register"),
    )
    assert done.exit_code == 0, done.output
    assert f"written: {target}" in done.output
    text = target.read_text()
    assert "a ministry" in text
    assert "a register" in text
    assert target.stat().st_mode & 0o077 == 0


def test_a_dossier_that_cannot_be_written_stops_before_the_audit(paths, tmp_path):
    done = quintain(*arguments(paths), "--dossier", tmp_path / "dossier.pdf")
    assert done.exit_code != 0
    assert "print the HTML page" in done.output + str(done.exception)
    there = tmp_path / "dossier.md"
    there.write_text("old")
    done = quintain(*arguments(paths), "--dossier", there)
    assert done.exit_code != 0
    assert there.read_text() == "old"
