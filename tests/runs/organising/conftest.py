"""Contests of two rounds that tests may copy and change."""

import shutil

import pytest

from quintain.runs.folder.folder import Folder
from tests.runs.organising.live_cases import attacked, two_rounds


@pytest.fixture(scope="session")
def begun(tmp_path_factory):
    """The first round is prepared; read only."""
    return two_rounds(tmp_path_factory.mktemp("begun") / "two-rounds")


@pytest.fixture(scope="session")
def over(begun, tmp_path_factory):
    """Everybody released and attacked in the first round; read only."""
    out = tmp_path_factory.mktemp("over") / "two-rounds"
    shutil.copytree(begun.root, out)
    return attacked(Folder(out))


@pytest.fixture
def contest(begun, tmp_path):
    """A copy of the contest whose first round is prepared."""
    return Folder(shutil.copytree(begun.root, tmp_path / "two-rounds"))


@pytest.fixture
def played_round(over, tmp_path):
    """A copy of the contest whose first round is over."""
    return Folder(shutil.copytree(over.root, tmp_path / "two-rounds"))
