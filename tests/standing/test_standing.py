"""The standing table: tiny releases are made, judged and shown; what was played is kept."""

import numpy as np
import pytest
from benchmarks.standing import cells
from benchmarks.standing.__main__ import main
from benchmarks.standing.cells import AUDIT, ORIGINALS, SMALL, STRANGERS, Cell, Judged, plan
from benchmarks.standing.luck import luck

from quintain.attacks.membership.copies import ExactMatch
from quintain.plays import LASTING

QUICK = ("near-copies", "nearest", "random")


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch):
    """No real data, and three attacks."""
    monkeypatch.delenv("QUINTAIN_DATA", raising=False)
    cells.population.cache_clear()
    some = {name: cells.attacks()[name] for name in QUICK}
    monkeypatch.setattr(cells, "attacks", lambda: some)
    yield
    cells.population.cache_clear()


def contents(folder):
    """Every file but those of seconds."""
    files = [path for kind in ("results", "releases") for path in folder.glob(f"{kind}/*")]
    return {path.name: path.read_bytes() for path in files}


@pytest.mark.slow
def test_a_tiny_table_is_played_and_shown(tmp_path):
    page = tmp_path / "page.md"
    only = ["--only", STRANGERS, ORIGINALS, "--data", "bank", "--seeds", "1", "--jobs", "1"]
    main(["--small", "--out", str(tmp_path), "--page", str(page), *only])
    rows = [line for line in page.read_text().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [STRANGERS, ORIGINALS]
    assert "| 1.000 | 1.000 | 1.000 | .000 | .000 |" in rows[1]
    assert "Luck: AUC ." in page.read_text()


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_bytes_and_takes_a_new_attack(tmp_path, monkeypatch):
    cell = Cell("bank", "cart", 0, SMALL)
    whole, stopped = Judged(cell, tmp_path / "whole"), Judged(cell, tmp_path / "stopped")
    whole.play(float("inf"))
    assert whole.missing() == []
    with monkeypatch.context() as broken:
        broken.setattr(cells, "audit_release", _killed)
        with pytest.raises(KeyboardInterrupt):
            stopped.play(float("inf"))
    assert stopped.missing() == [AUDIT, *QUICK]
    Judged(cell, tmp_path / "stopped").play(float("inf"))
    before = contents(tmp_path / "stopped")
    assert before == contents(tmp_path / "whole")
    new = {**cells.attacks(), "exact-match": ExactMatch()}
    monkeypatch.setattr(cells, "attacks", lambda: new)
    assert stopped.missing() == ["exact-match"]
    stopped.play(float("inf"))
    after = contents(tmp_path / "stopped")
    assert set(after) - set(before) == {"bank-cart-0--exact-match.json"}
    assert before.items() <= after.items()


def _killed(*_, **__):
    raise KeyboardInterrupt


def test_a_generator_that_refuses_is_not_judged(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise LASTING[0]("no such table")

    monkeypatch.setattr(cells, "sanitize", refuse)
    judged = Judged(Cell("bank", "mst", 0, SMALL), tmp_path)
    judged.play(float("inf"))
    assert judged.missing() == []
    assert list(contents(tmp_path)) == ["bank-mst-0.json"]


def test_a_part_that_breaks_leaves_its_piece_open(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "audit_release", None)
    judged = Judged(Cell("bank", ORIGINALS, 0, SMALL), tmp_path)
    assert "audit: " in judged.play(float("inf"))
    assert judged.missing() == [AUDIT]


@pytest.mark.slow
def test_nobody_is_on_two_sides_of_a_release():
    for data in ("retail", "bank"):
        cell = Cell(data, ORIGINALS, 0)
        sizes = [len(side) for side in cell.sides]
        people = len(cells.population(data, cell.size).people)
        assert sizes[0] == cell.size.rows and min(sizes) >= 900 and sum(sizes) <= people


def test_all_registered_generators_are_planned():
    names = list(cells.generators(SMALL))
    planned = plan(["bank"], names, 2, SMALL)
    assert len(planned) == len(set(planned)) == 2 * len(names) and len(names) >= 14
    assert cells.generators(SMALL)["mst"].epsilon == cells.EPSILON


def test_luck_is_what_the_best_of_several_attacks_reaches():
    def level(attacks, seeds):
        rng = np.random.default_rng(0)
        line = {"generator": STRANGERS, "blind": False}
        lines = [
            {**line, "attack": str(a), "seed": s, "scores": rng.random(1000).tolist()}
            for a in range(attacks)
            for s in range(seeds)
        ]
        return luck(lines, rng=rng)["AUC"]

    one = 0.5 + 1.645 * np.sqrt(1001 / (12 * 500 * 500))
    assert level(1, 1) == pytest.approx(one, abs=0.006)
    assert level(8, 1) > level(1, 1) > level(1, 5)
