"""The benchmark of contests through the audit: it plays, audits, keeps what is done, and shows."""

import json

import pytest
from benchmarks.audit import contests, played

SMALL = {
    "repeats": 1,
    "utility": [],
    "sample": {"targets": 20, "background": 60},
    "sanitizer": [{"use": "identity"}],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("contests")


@pytest.fixture
def tiny(monkeypatch):
    """A contest that is small enough for a test."""
    contest = played.Contest("no file", 400, "people", lambda n: {**SMALL, "dataset": {"rows": n}})
    monkeypatch.setitem(contests.CONTESTS, "tiny", contest)


@pytest.mark.slow
def test_a_contest_is_audited_and_its_figures_are_beside(tiny, place):
    (row,) = contests.rows_of("tiny", 400, 7, place)
    assert row["release"] == "identity" and row["people"] > 60
    asked = contests.cells_of(row["asked"], "auc")
    cells = contests.cells_of(row["contest"], "auc")
    assert asked["nearest"] == cells["nearest"] and asked["exact-match"] == cells["exact-match"]
    text = contests.report("tiny", [row], 400, 7)
    assert "400 people, stand-in, seed 7" in text and "The contest's own figures, auc" in text


def test_a_stopped_run_goes_on(tiny, place, monkeypatch):
    contests.rows_of("tiny", 400, 7, place)
    monkeypatch.setattr(contests, "audited", None)
    (row,) = contests.rows_of("tiny", 400, 7, place)
    assert row == json.loads((place / "tiny-400-7" / "audits" / "identity.json").read_text())


def test_tables_show_intervals():
    row = {
        "release": "mst-1",
        "verdict": "some-leakage",
        "p": 0.001,
        "exposed": [0.12, 0.05],
        "names": [0.0, 0.0],
        "smallest": 0.02,
        "cpu": 3.2,
        "readings": [
            ["tree-ratio", "auc", 0.6, 0.55, 0.65],
            ["length", "auc", *[float("nan")] * 3],
        ],
    }
    verdicts = contests.verdicts([row])
    assert "| mst-1 | some-leakage | 0.001 | .120 (.050) | 0 (0) | .020 | 3 |" in verdicts
    grid = contests.grid([row], "readings", "auc")
    assert "| tree-ratio | .600 (.550 to .650) |" in grid and "| length | – |" in grid


def test_sizes_are_told_by_name():
    assert contests.sizes(["amic=2000"])["amic"] == 2000
    assert contests.sizes([])["snake1"] == 10_000
