"""Repair: preparing again makes missing and damaged files again, to the bytes committed to."""

import shutil

import pytest

from quintain.errors import FolderError
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.organising.prepare import prepare, repair
from quintain.runs.tasks import experiments
from tests.runs.crashes.scripted_contest import contents, go_on, new

TASK = Task("main", "red")
FILES = [
    paths.base("main", paths.SECRET),
    paths.base("main"),
    paths.schema("main"),
    paths.team_sample("green", "main"),
    paths.private(TASK),
    paths.truth(TASK),
    paths.handover("main"),
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A contest from start to end; read only."""
    folder = new(tmp_path_factory.mktemp("finished") / "contest")
    list(go_on(folder, bytes))
    return folder


@pytest.fixture
def copied(finished, tmp_path):
    """A copy without its cache, so nothing says what had been done."""
    hidden = shutil.ignore_patterns(paths.CACHE)
    return Folder(shutil.copytree(finished.root, tmp_path / "copy", ignore=hidden))


@pytest.mark.parametrize("damage", [None, b"", b"other"])
def test_every_kind_of_file_is_made_again(copied, finished, damage):
    for name in FILES:
        copied.at(name).unlink()
        if damage is not None:
            copied.at(name).write_bytes(damage)
    prepare(copied)
    assert dict(contents(copied)) == dict(contents(finished))


def test_repair_names_what_it_made_again(copied):
    copied.at(paths.truth(TASK)).unlink()
    assert repair(copied) == [paths.truth(TASK)]
    assert repair(copied) == []


def test_a_file_that_would_become_another_one_is_refused_and_stays(copied, monkeypatch):
    name = paths.team_sample("green", "main")
    copied.at(name).write_text("damaged")
    monkeypatch.setattr(experiments, "csv_bytes", lambda data, *, header: b"another version's\n")
    with pytest.raises(FolderError, match=f"{name}: is damaged and cannot be made again"):
        prepare(copied)
    assert copied.at(name).read_text() == "damaged"


def test_a_damaged_commitment_stops_the_repair(copied):
    copied.at(paths.commitment("join-green")).write_text("{")
    with pytest.raises(FolderError, match=r"join-green\.json: missing or damaged"):
        prepare(copied)
