"""Many submissions: the next one costs no more after hundreds of others than after ten."""

import os

import pytest

from quintain.journal import journal as journals
from quintain.journal.events import Submitted, read_event
from quintain.runs.folder import journal_folder as folders
from quintain.runs.folder.record import record, writing
from quintain.runs.submissions.submit import LONG_AGO, submit
from tests.contest_folders import small

TEAMS = [f"team-{i}" for i in range(10)]


@pytest.fixture
def crowded(tmp_path):
    return small(tmp_path / "crowded", repeats=1, team=[{"id": team} for team in TEAMS])


@pytest.fixture
def cost(crowded, monkeypatch):
    """Makes a submission and returns the bytes read and the events parsed for it."""
    (track,) = crowded.edition().track
    task = crowded.tasks(track)[0]
    targets = [row["target"] for row in crowded.question(track, task).table.records()]
    answer = "target,probability\n" + "".join(f"{target},0.5\n" for target in targets)
    counts = {"bytes": 0, "events": 0}

    def pread(descriptor, length, offset, read=os.pread):
        content = read(descriptor, length, offset)
        counts["bytes"] += len(content)
        return content

    def counted(line):
        counts["events"] += 1
        return read_event(line)

    monkeypatch.setattr(os, "pread", pread)
    monkeypatch.setattr(journals, "read_event", counted)
    monkeypatch.setattr(folders, "read_event", counted)

    def measured(team):
        counts.update(bytes=0, events=0)
        submit(crowded, team, {f"{task.name}.csv": answer.encode()})
        return dict(counts)

    return measured


def append(folder, teams):
    """One submission of each of these teams, without the checks of a submission."""
    for team in teams:
        event = Submitted(team=team, track="main", phase="guess", kind="guess", files={"a": "b"})
        with writing(folder) as journal:
            record(folder, journal, event, now=LONG_AGO)


def test_a_submission_costs_the_same_after_ten_and_after_three_hundred(crowded, cost):
    cost("team-0")
    append(crowded, TEAMS[1:])
    early = cost("team-0")
    append(crowded, TEAMS[1:] * 32)
    cost("team-0")
    append(crowded, TEAMS[1:])
    late = cost("team-0")
    assert late["events"] <= early["events"] + 8
    assert late["bytes"] <= 1.5 * early["bytes"]
