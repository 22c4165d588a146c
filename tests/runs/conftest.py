"""A small played contest that tests may copy and damage."""

import shutil
from pathlib import Path

import pytest

from quintain.contests import load
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from tests.contest_folders import SMALL, small


@pytest.fixture(scope="session")
def played(tmp_path_factory) -> Path:
    """A contest played to the end; read only."""
    out = tmp_path_factory.mktemp("played") / "run"
    play(load("tiny", overrides=SMALL), out, seed=7)
    return out


@pytest.fixture
def copy(played, tmp_path) -> Folder:
    """A copy of the played contest, without the cache."""
    out = tmp_path / "copy"
    shutil.copytree(played, out, ignore=shutil.ignore_patterns(".cache"))
    return Folder(out)


@pytest.fixture
def live(tmp_path) -> Folder:
    """A prepared contest with two teams that have not submitted anything."""
    return small(tmp_path / "live", repeats=1, team=[{"id": "red"}, {"id": "blue"}])
