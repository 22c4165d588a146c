"""The command ``compare``: tables for people, files for programs, and the same bytes again."""

import csv
import json

import numpy as np
import pytest

from quintain.cli.main import main
from quintain.testing import unique_people
from tests.cli.command_cases import refusal

QUICK = ("--attack", "nearest", "--repetitions", "3", "--workers", "1")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    table = unique_people(rows=240)
    for name, rows in (("people", np.arange(120)), ("control", np.arange(120, 240))):
        table.take(rows).to_csv(folder / f"{name}.csv")
    table.to_csv(folder / "everybody.csv")
    return folder


def run(*arguments):
    with pytest.raises(SystemExit) as done:
        main(["compare", *map(str, arguments), *QUICK])
    assert not done.value.code


def test_sanitizers_are_compared_and_files_are_written(files, tmp_path, capsys):
    entries = ("kept: rr keep=0.99", "rr keep=0.01", "--data", files / "everybody.csv")
    run(*entries, "--out", tmp_path / "out")
    shown = capsys.readouterr().out
    assert "more than luck" in shown and "kept" in shown
    with (tmp_path / "out" / "readings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 and {row["entry"] for row in rows} == {"kept", "rr keep=0.01"}
    stored = (tmp_path / "out" / "comparison.json").read_text()
    assert "<svg" in (tmp_path / "out" / "report.html").read_text()
    run(*entries, "--json")
    assert json.loads(capsys.readouterr().out) == json.loads(stored)
    assert json.loads(stored)["command"].startswith("quintain compare 'kept: rr keep=0.99'")


def test_finished_releases_are_compared_beside_a_control(files, capsys):
    run(
        files / "people.csv",
        "rr keep=0.01",
        "--data",
        files / "people.csv",
        "--control",
        files / "control.csv",
    )
    assert "people.csv" in capsys.readouterr().out


def test_what_cannot_be_compared_is_told(files, capsys):
    data = ("--data", files / "everybody.csv")
    assert "at least two" in refusal(capsys, "compare", "rr", *data)
    missing = refusal(capsys, "compare", "no.csv", "rr", *data)
    assert "no.csv: there is no such file" in missing
    finished = refusal(capsys, "compare", files / "people.csv", "rr", *data)
    assert "with a control" in finished
