"""Crashes: whenever a process is killed, the contest goes on as if it had not been."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from quintain.runs.folder import paths, record
from quintain.runs.organising import join as joining
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import submit
from tests.conftest import ROOT
from tests.contest_folders import small
from tests.runs.crashes.scripted_contest import new

KILLS = 8
NOW = datetime(2026, 5, 2, tzinfo=UTC)


@pytest.mark.slow
def test_a_contest_that_is_killed_again_and_again_ends_with_the_same_bytes(tmp_path):
    command = [sys.executable, "-m", "tests.runs.crashes.killed", str(tmp_path), str(KILLS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["problems"] == []
    assert sum(report["kills"].values()) == KILLS


class Crash(BaseException):
    """Ends a command at once, as a kill does."""


def crashing(*args, **kwargs):
    raise Crash


def is_published(folder):
    """Whether everybody can read every event that they may read."""
    lines = b"".join(line + b"\n" for line in folder.journal().public_lines())
    return folder.at(paths.EVENTS).read_bytes() == lines


@pytest.mark.parametrize("place", ["publish_events", "_publish_tree", "_keep_tree", "write"])
def test_the_next_submission_publishes_what_a_crash_left_unpublished(tmp_path, monkeypatch, place):
    folder = small(tmp_path / "live", repeats=1, team=[{"id": "red"}])
    with monkeypatch.context() as patch:
        patch.setattr(record, place, crashing)
        with pytest.raises(Crash):
            join(folder, [Joining("late")])
    assert "late" in folder.state().roster.ids
    (track,) = folder.edition().track
    task = folder.tasks(track)[0]
    targets = [row["target"] for row in folder.question(track, task).table.records()]
    answer = "target,probability\n" + "".join(f"{target},0.5\n" for target in targets)
    accepted = submit(folder, "red", {f"{task.name}.csv": answer.encode()})
    assert is_published(folder)
    assert folder.at(paths.CHECKPOINT).read_text() == accepted.receipt.checkpoint


def test_preparing_again_publishes_what_a_crash_left_unpublished(tmp_path, monkeypatch):
    folder = small(tmp_path / "live", repeats=1)
    with monkeypatch.context() as patch:
        patch.setattr(record, "publish_events", crashing)
        with pytest.raises(Crash):
            join(folder, [Joining("late")])
    assert not is_published(folder)
    prepare(folder)
    assert is_published(folder)
    assert folder.at(paths.CHECKPOINT).read_text().splitlines()[1] == str(folder.journal().size())


def test_files_of_an_interrupted_join_are_in_no_later_commitment(tmp_path, monkeypatch):
    folder = new(tmp_path / "contest")
    prepare(folder, seed=11, now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr(joining, "record_all", crashing)
        with pytest.raises(Crash):
            join(folder, [Joining("green")], now=NOW)
    assert folder.at(paths.team_sample("green", "main")).is_file()
    join(folder, [Joining("black")], now=NOW)
    leaves = json.loads(folder.at(paths.commitment("join-black")).read_bytes())["leaves"]
    assert leaves
    assert not [name for name in leaves if "green" in name]
    before = folder.at(paths.commitment("join-green")).read_bytes()
    join(folder, [Joining("green")], now=NOW)
    assert folder.at(paths.commitment("join-green")).read_bytes() == before
    assert folder.state().roster.ids == ("red", "black", "green")
