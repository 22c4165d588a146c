"""A small tournament: three sanitizers and two attacks in an arena of a few records."""

import pytest
from benchmarks.tournament.tournament import play_tournament

PLAYERS = ("identity", "rr", "independent", "random", "nearest")
ARENA = """
title = "Small"
about = "Who was in the data?"
contest = "tiny"

[rules]
repeats = 4
dataset = { rows = 400 }
sample = { targets = 40, background = 40 }

[[rules.privacy]]
use = "auc"

[[rules.privacy]]
use = "membership-advantage"

[[sanitizer]]
use = "independent"
grid = { epsilon = [1, 100] }

[[absent]]
use = "attack/exact-match"
because = "the test wants to see its reason"
"""


@pytest.fixture(scope="session")
def arena_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("arena") / "small.toml"
    path.write_text(ARENA)
    return path


@pytest.fixture(scope="session")
def small(arena_file, tmp_path_factory):
    """The folder and the outcome of the small tournament."""
    out = tmp_path_factory.mktemp("tournament")
    return out, play_tournament([str(arena_file)], out, only=PLAYERS)
