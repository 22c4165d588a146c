"""Random streams: no two purposes of a contest share one, whatever teams are called."""

from quintain.contests import load
from quintain.randomness import noise, seeds
from quintain.runs.play import play
from tests.contest_folders import SMALL


def test_a_number_is_never_drawn_for_where_an_id_is(tmp_path, monkeypatch):
    """Steps of a path are compared as text, so the id "1" and the number 1 are the same step."""
    paths, digest = set(), seeds.digest_path

    def record(root, path):
        paths.add((root, path))
        return digest(root, path)

    monkeypatch.setattr(seeds, "digest_path", record)
    monkeypatch.setattr(noise, "digest_path", record)
    players = [
        {"id": str(n), "sanitizer": {"use": "rr", "keep": 0.5}, "attack": {"use": "nearest"}}
        for n in range(2)
    ]
    phases = [{"id": "0", "submit": "release"}, {"id": "1", "submit": "guess"}]
    gate = [{"use": "marginals", "at_most": 0.9}]
    changes = {**SMALL, "baseline": players, "phase": phases, "utility": gate}
    play(load("tiny", overrides=changes), tmp_path / "run", seed=7)
    as_text = [(root, *map(str, path)) for root, path in paths]
    assert len(as_text) > 50
    assert len(set(as_text)) == len(as_text)
