"""A live contest that forgers may copy, and what its teams kept."""

import shutil

import pytest

from tests.runs.verification.forgery import Forger, live_contest


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """A live contest of three teams; read only."""
    return live_contest(tmp_path_factory.mktemp("live") / "contest")


@pytest.fixture
def forger(kept, tmp_path):
    """The organisers of a copy of the contest, about to cheat."""
    shutil.copytree(kept.root, tmp_path / "forged")
    return Forger(tmp_path / "forged")
