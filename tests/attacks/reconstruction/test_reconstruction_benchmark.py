"""The benchmark of reconstruction, in small: its tables, and that a stopped run goes on."""

import pytest
from benchmarks.goals import reconstruction
from benchmarks.goals.published_rebuilding import PLAYERS
from benchmarks.goals.rebuilt_people import RebuiltPeople

from quintain.data.sources.adult import Adult


def small():
    """The stand-in of Adult, with two hidden columns."""
    import numpy as np

    table = Adult(rows=600).data(np.random.default_rng(0))
    known = ("age", "education", "sex", "hours-per-week")
    return RebuiltPeople(table, known, ("relationship", "income"))


@pytest.fixture
def grid(monkeypatch, tmp_path):
    monkeypatch.setenv("QUINTAIN_RESULTS", str(tmp_path))
    monkeypatch.setattr(reconstruction, "DATA", {"small": small})
    ends = {"identity": {"use": "identity"}, "independent": {"use": "independent"}}
    monkeypatch.setattr(reconstruction, "GENERATORS", ends)
    quick = {"mode": PLAYERS["mode"], "nearest": PLAYERS["nearest"]}
    monkeypatch.setattr(reconstruction, "PLAYERS", quick)
    ours = {
        "rebuilding-ensemble": {"use": "rebuilding-ensemble", "trees": 5},
        "ensemble, rare values": {"use": "rebuilding-ensemble", "trees": 5, "rarity": 1.0},
    }
    monkeypatch.setattr(reconstruction, "OURS", ours)


def test_copies_are_remembered_and_a_stopped_run_goes_on(grid, monkeypatch):
    lines = reconstruction.run(["small"], 1, 200, 80)
    assert len(lines) == 8
    copies = {line["attack"]: line for line in lines if line["generator"] == "identity"}
    assert copies["rebuilding-ensemble"]["memorised"][1] > 0
    noise = {line["attack"]: line for line in lines if line["generator"] == "independent"}
    assert noise["rebuilding-ensemble"]["memorised"][1] < 0
    monkeypatch.setattr(reconstruction, "cell", lambda *_: pytest.fail("it was played already"))
    assert reconstruction.run(["small"], 1, 200, 80) == lines
    head, _, *rows = reconstruction.table(lines)
    assert head.count("|") == rows[0].count("|") == 9
    assert len(rows) == 2
    assert "of 2 cells by rarity" in reconstruction.wins(lines)
    assert len(list(reconstruction.means(lines))) == 2 + 4
