"""A small contest, the kit that agents get of it, and how to play it."""

import io
import sys
import zipfile
from pathlib import Path

import pytest

from quintain.kit.kit import kit_bytes
from quintain.programs.sandbox.process import Process
from quintain.runs.folder.folder import Folder
from tests.contest_folders import small

PLUGIN = Path(__file__).resolve().parents[2] / "examples/agent"
sys.path.insert(0, str(PLUGIN))
from quintain_agent import AgentLimits, play_agent  # noqa: E402  the plugin is not installed

TASK = "rr-keep0.9.000"


@pytest.fixture(scope="session")
def contest(tmp_path_factory):
    """A prepared contest with its secrets."""
    return small(tmp_path_factory.mktemp("agents") / "contest")


@pytest.fixture(scope="session")
def kit(contest, tmp_path_factory):
    """What teams get of it."""
    place = tmp_path_factory.mktemp("agents") / "kit"
    with zipfile.ZipFile(io.BytesIO(kit_bytes(contest))) as archive:
        archive.extractall(place)
    assert not (place / "secret").exists()
    return Folder(place)


@pytest.fixture
def play(kit):
    """Play one task of the kit with an agent whose function has this body."""

    def play_body(body, *, sandbox=None, tasks=(TASK,), **limits):
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        text = f"def play(given):\n    ask = given['ask']\n{lines}\n"
        limits = AgentLimits(**{"seconds": 600, "memory_gib": 2, **limits})
        track, files = kit.edition().track[0], {"agent.py": text.encode()}
        chosen = sandbox or Process()
        return play_agent(kit, track, files, sandbox=chosen, limits=limits, tasks=tasks)

    return play_body
