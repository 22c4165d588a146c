"""Playing a contest: the same bytes with any number of workers, killed and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from base64 import b64decode

import pyarrow.parquet as pq
import pytest

from quintain.contests import load
from quintain.errors import FolderError
from quintain.jobs.executor import Executor
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play

RESULTS = (
    "results/standings.json",
    "results/cells.parquet",
    "results/matrix.csv",
    "results/report.html",
)


def contents(root):
    return {name: (root / name).read_bytes() for name in RESULTS}


def test_any_number_of_workers_gives_the_same_bytes(played, tmp_path):
    from tests.contest_folders import SMALL

    play(load("tiny", overrides=SMALL), tmp_path / "two", seed=7, executor=Executor(2))
    assert contents(tmp_path / "two") == contents(played)


def test_another_seed_gives_other_results(played, tmp_path):
    from tests.contest_folders import SMALL

    play(load("tiny", overrides=SMALL), tmp_path / "other", seed=8)
    assert contents(tmp_path / "other") != contents(played)


def test_killed_and_resumed_gives_the_same_bytes(tmp_path):
    command = [sys.executable, "-m", "quintain", "play", "tiny", "--seed", "7", "--quick"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run([*command, "--out", whole, "--workers", "1"], check=True, capture_output=True)
    run = subprocess.Popen(
        [*command, "--out", broken, "--workers", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    stamps = broken / ".cache" / "stamps"
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and len(list(stamps.glob("*.json"))) < 12:
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    done = len(list(stamps.glob("*.json")))
    assert not (broken / "results").exists(), "the run was over before it could be killed"
    assert done >= 12
    subprocess.run([*command, "--out", broken, "--workers", "2"], check=True, capture_output=True)
    assert contents(broken) == contents(whole)


def test_a_resumed_run_does_not_repeat_what_is_done(played):
    stamps = sorted((played / ".cache/stamps").iterdir())
    before = [path.stat().st_mtime_ns for path in stamps]
    play(Folder(played).edition(), played, seed=7)
    assert [path.stat().st_mtime_ns for path in stamps] == before


def test_a_damaged_piece_is_made_again(copy, played):
    victim = next(copy.root.glob("public/main/tasks/*/release.csv"))
    victim.write_text("damaged")
    play(copy.edition(), copy.root, seed=7)
    assert contents(copy.root) == contents(played)
    assert victim.read_text() != "damaged"


def test_a_folder_of_another_edition_is_left_alone(played):
    with pytest.raises(FolderError, match="another edition"):
        play(load("tiny"), played, seed=7)


def test_a_folder_with_other_seeds_is_left_alone(played):
    with pytest.raises(FolderError, match="other seeds"):
        play(Folder(played).edition(), played, seed=8)


def test_results_say_what_they_rest_on(played):
    standings = json.loads((played / "results/standings.json").read_bytes())
    assert standings["test"] is True
    assert standings["submissions"] == 3
    commitments = {
        path.stem: json.loads(path.read_bytes())["root"]
        for path in (played / "public/commitments").iterdir()
    }
    assert standings["commitments"] == commitments
    assert set(commitments) == {"rules-1", "prepare-main"}
    size, root = (played / "public/checkpoint.txt").read_text().splitlines()[1:3]
    assert standings["journal"] == {"events": int(size), "root": b64decode(root).hex()}


def test_the_matrix_has_every_entry_attacker_and_measure(played):
    table = pq.read_table(played / "results/cells.parquet").to_pylist()
    assert len(table) == 5 * 3 * 3
    identity = [row for row in table if row["entry"] == "identity" and row["measure"] == "auc"]
    exact = next(row for row in identity if row["attacker"] == "exact-match")
    assert exact["value"] > 0.9
    assert all(row["low"] <= row["value"] <= row["high"] for row in table)


def test_a_run_without_a_seed_is_secret(tmp_path):
    from tests.contest_folders import SMALL

    folder = play(load("tiny", overrides={**SMALL, "repeats": 1}), tmp_path / "x", seed=None)
    assert folder.secrets().test is False
    assert json.loads((folder.root / "results/standings.json").read_bytes())["test"] is False
    cards = [json.loads(p.read_bytes()) for p in folder.root.glob("public/main/tasks/*/card.json")]
    assert not any(card["test"] for card in cards)


@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_bytes(cluster, played, tmp_path):
    from tests.runs.conftest import SMALL

    executor = Executor(cluster=cluster.scheduler_address)
    play(load("tiny", overrides=SMALL), tmp_path / "run", seed=7, executor=executor)
    assert contents(tmp_path / "run") == contents(played)
