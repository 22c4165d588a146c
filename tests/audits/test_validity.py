"""The benchmark of false alarms: it goes on where it was stopped, and its table counts."""

import json

import pytest
from benchmarks.audit import validity


def row(number, p):
    return {
        "draw": number,
        "p": p,
        "verdict": "some-leakage" if p <= 0.05 else "nothing-found",
        "share": 0.0,
        "names": 0.0,
        "sure names": 0.0,
    }


@pytest.mark.slow
def test_one_draw_is_an_audit_of_strangers():
    first, again = (validity.draw(0, 60, permutations=19) for _ in range(2))
    assert first == again
    assert 0.05 <= first["p"] <= 1


def test_a_stopped_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(validity, "draw", lambda number, rows: row(number, 0.5))
    path = tmp_path / "kept" / "draws.jsonl"
    assert len(validity.draws(2, 60, 1, path)) == 2
    path.write_text(json.dumps(row(1, 0.01)) + "\n")
    assert [one["p"] for one in validity.draws(3, 60, 1, path)] == [0.5, 0.01, 0.5]
    assert len(path.read_text().splitlines()) == 3


def test_the_table_shows_exact_intervals():
    text = validity.table([row(n, 0.04 if n < 4 else 0.3) for n in range(100)], 60)
    assert "| some leakage or unsafe | 4 | 0.0400 | 0.0110 to 0.0993 |" in text
    assert "| p is at most 0.05 | 4 | 0.0400 | 0.0110 to 0.0993 |" in text
    assert "| verdict unsafe | 0 | 0.0000 | 0.0000 to 0.0362 |" in text
