"""Hide-and-Seek: all players in a small contest, and the sizes of its profiles."""

import json
from statistics import median

import pyarrow.parquet as pq
import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.kernels.networks import has_torch

SMALL = """
include = "hide-and-seek"
id = "small"
dataset.rows = 160
dataset.steps = 16
dataset.features = 20

[[add.baseline]]
id = "timegan"
sanitizer = { use = "timegan", iterations = 5, batch = 16, hidden = 4 }
[[add.baseline]]
id = "adversarial"
sanitizer = { use = "adversarial", width = 2, iterations = 30, batch = 16, noise_steps = 5 }
[[add.baseline]]
id = "adversarial-2020"
[add.baseline.sanitizer]
use = "adversarial"
width = 2
iterations = 30
batch = 16
noise_steps = 5
as_shipped = true
[[add.baseline]]
id = "genetic"
sanitizer = { use = "genetic", predictors = 1, hidden = 4, epochs = 1, rounds = 2 }
[[add.baseline]]
id = "classifier"
attack = { use = "binary-classifier", hidden = 4, epochs = 1 }
[[add.utility]]
use = "recurrent"
features = 2
hidden = 4
epochs = 1
seeds = [1]
"""

HIDERS = ["add-noise", "bin-swap", "far-out", "identity"]
HIDERS += ["lagged-gaussian", "noise-shuffle", "uniform"]
NETWORKS = ["adversarial", "adversarial-2020", "genetic", "timegan"]


def run(*arguments):
    """A command that ends well."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert not ended.value.code


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A contest with everybody in it, played; the accuracy of each seeker on each hider."""
    if not has_torch():
        pytest.skip("networks need PyTorch")
    folder = tmp_path_factory.mktemp("hide-and-seek")
    (folder / "small.toml").write_text(SMALL)
    out = folder / "run"
    options = ["--seed", "3", "--workers", "1"]
    run("play", str(folder / "small.toml"), "--out", str(out), *options)
    cells = pq.read_table(out / "results" / "cells.parquet").to_pylist()
    return out, {
        (cell["owner"], cell["attacker"]): cell["value"]
        for cell in cells
        if cell["measure"] == "reidentification"
    }


@pytest.mark.slow
def test_everybody_plays_against_everybody(played):
    _, found = played
    assert sorted({hider for hider, _ in found}) == sorted(HIDERS + NETWORKS)
    seekers = {seeker for _, seeker in found}
    assert {"knn", "time-knn", "greedy-matching", "mikan", "classifier"} < seekers
    assert {"nan-pattern", "length", "fingerprint", "density-ratio", "random"} < seekers
    assert {"row-density", "averages"} < seekers
    assert len(found) == len(HIDERS + NETWORKS) * 12


def test_what_leaks_is_found(played):
    _, found = played
    assert found["identity", "time-knn"] > 0.95
    assert found["bin-swap", "nan-pattern"] > 0.95
    assert found["adversarial-2020", "nan-pattern"] > 0.95
    assert found["adversarial", "nan-pattern"] < 0.7, "missing values are completed"
    assert found["adversarial", "greedy-matching"] > 0.95
    for hider in ("add-noise", "far-out"):
        assert found[hider, "greedy-matching"] > 0.8
        assert found[hider, "row-density"] > 0.8
    assert found["uniform", "knn"] < 0.7
    assert found["noise-shuffle", "greedy-matching"] < 0.7


@pytest.mark.slow
def test_the_boards_have_the_best_seeker_and_the_middle_one(played):
    out, found = played
    standings = json.loads((out / "results" / "standings.json").read_text())
    boards = {board["id"]: board["places"] for board in standings["tracks"]["main"]["boards"]}
    ranked = {place["team"] for place in boards["hiders"] if not place["disqualified"]}
    for board, over in (("hiders", max), ("hiders-middle", median)):
        for place in boards[board]:
            if place["disqualified"]:
                continue
            scores = [score for (hider, _), score in found.items() if hider == place["team"]]
            assert place["score"]["value"] == pytest.approx(over(scores))
    for place in boards["seekers"]:
        scores = [
            score
            for (hider, seeker), score in found.items()
            if seeker == place["team"] and hider in ranked
        ]
        assert place["score"]["value"] == pytest.approx(median(scores))


def test_who_releases_noise_is_out_and_the_test_records_are_secret(played):
    out, _ = played
    standings = json.loads((out / "results" / "standings.json").read_text())
    places = standings["tracks"]["main"]["boards"][0]["places"]
    ranked = {place["team"] for place in places if not place["disqualified"]}
    assert "uniform" not in ranked and {"identity", "add-noise", "bin-swap"} <= ranked
    assert (out / "secret/main/test.parquet").is_file()
    assert not (out / "public/main/test.parquet").exists()


@pytest.mark.slow
def test_the_report_shows_the_control_and_the_contest_verifies(played):
    out, _ = played
    assert "Uniform numbers (a control)" in (out / "results" / "report.html").read_text()
    run("verify", str(out))


@pytest.mark.parametrize(
    ("profile", "rows", "iterations"), [("cpu", 1000, 150), ("official", 20_000, 20_000)]
)
def test_profiles_add_the_networks(profile, rows, iterations):
    plain, track = load("hide-and-seek").track[0], load("hide-and-seek", profile=profile).track[0]
    assert track.dataset.rows == rows
    players = {player.id: player for player in track.baseline}
    assert set(players) - {player.id for player in plain.baseline} == {*NETWORKS, "classifier"}
    assert players["timegan"].sanitizer.iterations == iterations
    assert len(track.utility) == len(plain.utility) + 1
    assert {phase.contract.steps for phase in track.phase} == {track.dataset.steps}
