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
from quintain.errors import FolderError, SubmissionError
from quintain.jobs.executor import Executor
from quintain.jobs.files import write_file
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.organiser_data import copy_organiser_data
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.prepare import prepare
from quintain.runs.play import play
from quintain.runs.score import Following
from quintain.runs.submissions.checking import guess_file
from quintain.runs.tasks import baselines
from quintain.runs.tasks.baselines import attacked_tasks

RESULTS = (
    "results/standings.json",
    "results/cells.parquet",
    "results/matrix.csv",
    "results/report.html",
)


def contents(root):
    return {name: (root / name).read_bytes() for name in RESULTS}


@pytest.mark.slow
def test_any_number_of_workers_gives_the_same_bytes(played, tmp_path):
    from tests.contest_folders import SMALL

    play(load("tiny", overrides=SMALL), tmp_path / "two", seed=7, executor=Executor(2))
    assert contents(tmp_path / "two") == contents(played)


@pytest.mark.slow
def test_another_seed_gives_other_results(played, tmp_path):
    from tests.contest_folders import SMALL

    play(load("tiny", overrides=SMALL), tmp_path / "other", seed=8)
    assert contents(tmp_path / "other") != contents(played)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_bytes(cluster, played, tmp_path):
    from tests.runs.conftest import SMALL

    executor = Executor(cluster=cluster.scheduler_address)
    play(load("tiny", overrides=SMALL), tmp_path / "run", seed=7, executor=executor)
    assert contents(tmp_path / "run") == contents(played)


# --- the graph of jobs ----------------------------------------------------------------------------


def test_what_runs_ahead_is_what_the_later_steps_ask_for(played):
    folder = Folder(played)
    (track,) = folder.edition().track
    following = Following(folder)
    jobs = [job for task in folder.read(track).releases for job in following(task)]
    assert {job.name.partition("/")[0] for job in jobs} == {"attack", "utility"}
    assert all(folder.is_done(job) for job in jobs)


def test_nothing_follows_from_a_release_that_was_refused(copy):
    (track,) = copy.edition().track
    task = copy.read(track).releases[0]
    write_file(copy.at(paths.refusal(task)), b"no\n")
    assert list(Following(copy)(task)) == []


def test_the_releases_of_all_tracks_are_followed_at_once(tmp_path):
    from tests.contest_folders import SMALL

    own = copy_organiser_data(load("tiny", overrides=SMALL))
    own.write(tmp_path / "new")
    write_rules(tmp_path / "new", own.edition)
    folder, followed = Folder(tmp_path / "new"), []
    prepare(folder, seed=7, rehearsal=True, follow=lambda task: followed.append(task) or [])
    (track,) = folder.edition().track
    assert followed == list(folder.read(track).releases)


def test_attacks_on_the_release_of_a_player_do_not_wait_for_the_other_releases(
    tmp_path, monkeypatch
):
    """The later steps ask for the very jobs that ran ahead, so they find them done."""
    ran, run = {}, Folder.run

    def counted(folder, jobs, *, label, **how):
        number = run(folder, jobs, label=label, **how)
        ran[label] = ran.get(label, 0) + number
        return number

    monkeypatch.setattr(Folder, "run", counted)
    folder = play(load("two-goals", quick=True), tmp_path / "run", seed=7)
    (track,) = folder.edition().track
    attacks = [task for b in track.baseline for task in attacked_tasks(folder.read(track), b)]
    players = len(track.baseline)
    # For each player its release, the task that is made of it, and the measures of its utility.
    assert ran["releases and attacks"] == 3 * players + len(attacks)
    assert ran["hand-over"] == 1  # the list of what is handed over
    assert ran["attacks"] == 0


def test_a_built_in_attack_that_breaks_the_rules_is_refused_by_its_job(copy, monkeypatch):
    (track,) = copy.edition().track
    task = copy.tasks(track)[0]
    attacker = next(baseline.id for baseline in track.baseline if baseline.attack is not None)
    real = baselines.csv_bytes

    def spoil(table, *, header):
        first, *rest = real(table, header=header).splitlines(keepends=True)
        return b"".join([first, *rest[1:]])

    monkeypatch.setattr(baselines, "csv_bytes", spoil)
    with pytest.raises(SubmissionError, match=guess_file(track, task, attacker)):
        baselines.make_guess(copy.root, attacker, *task.args)
