"""A small SNAKE 1: the same bytes wherever it runs, killed and resumed, and on CodaBench."""

import os
import signal
import subprocess
import sys
import time

import pytest

from quintain.contests import load
from quintain.jobs.executor import Executor
from quintain.kit.codabench.bundle import bundle_bytes
from quintain.kit.codabench.plan import column_key
from quintain.runs.folder.folder import Folder
from quintain.runs.play import play
from quintain.runs.score import score
from tests.kit.codabench.upload_rules import refusals
from tests.kit.conftest import unpacked
from tests.kit.scoring_run import run_scoring
from tests.runs.test_play import contents

EDITION = """
include = "snake1"
id = "small"
repeats = 4
[dataset]
rows = 1_500
[sample]
targets = 20
min_unit_size = 3
background = 200
[[sanitizer]]
use = "mst"
name = "mst"
epsilon = 100.0
delta = 1e-9
rows = 250
[[sanitizer]]
use = "privbayes"
name = "privbayes"
epsilon = 100.0
rows = 250
[[baseline]]
id = "mama-mia"
attack = { use = "mama-mia", shadows = 2 }
"""


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    file = tmp_path_factory.mktemp("snake") / "small.toml"
    file.write_text(EDITION)
    return file


@pytest.fixture(scope="module")
def alone(edition, tmp_path_factory):
    """Played by one process."""
    out = tmp_path_factory.mktemp("snake") / "alone"
    play(load(edition), out, seed=7)
    return out


@pytest.mark.slow
def test_two_processes_give_the_same_bytes(edition, alone, tmp_path):
    play(load(edition), tmp_path / "two", seed=7, executor=Executor(2))
    assert contents(tmp_path / "two") == contents(alone)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_bytes(cluster, edition, alone, tmp_path):
    executor = Executor(cluster=cluster.scheduler_address)
    play(load(edition), tmp_path / "cluster", seed=7, executor=executor)
    assert contents(tmp_path / "cluster") == contents(alone)


@pytest.mark.slow
def test_killed_and_resumed_gives_the_same_bytes(edition, alone, tmp_path):
    jobs = 1 + 8 + 2  # the base data, all releases, some attacks
    command = [sys.executable, "-m", "quintain", "play", edition, "--seed", "7"]
    command += ["--out", tmp_path / "run", "--workers", "2"]
    run = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    stamps = tmp_path / "run/.cache/stamps"
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and len(list(stamps.glob("*.json"))) < jobs:
        time.sleep(0.005)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert not (tmp_path / "run/results").exists(), "the run was over before it could be killed"
    assert len(list(stamps.glob("*.json"))) >= jobs
    play(load(edition), tmp_path / "run", seed=7)
    assert contents(tmp_path / "run") == contents(alone)


@pytest.mark.slow
@pytest.mark.parametrize("truth", ["bundle", "worker"])
def test_codabench_takes_the_bundle(alone, truth):
    assert not refusals(unpacked(bundle_bytes(Folder(alone), truth=truth)))


def test_codabench_scores_as_we_do(alone, tmp_path):
    folder = Folder(alone)
    (track,) = folder.edition().track
    given = {path.name: path.read_bytes() for path in alone.glob(".cache/guesses/main/mama-mia/*")}
    done = run_scoring(bundle_bytes(folder), given, tmp_path)
    assert (done.code, done.output) == (0, "scored 8 answers\n")
    cells = score(folder)["main"].cells
    expected = {
        column_key("adv", entry): cells[entry, "mama-mia"]["membership_advantage"].value
        for entry in track.entries
    }
    mean = pytest.approx(sum(expected.values()) / len(expected))
    assert done.scores == {**expected, "average": mean}
    assert max(expected.values()) > 0.1


def test_the_editions_ask_what_their_pages_say():
    asynchronous, synchronous, historic = (
        load(name).track[0].sample for name in ("snake1", "snake1-sync", "snake1-historic")
    )
    assert (asynchronous.unit, asynchronous.min_unit_size) == ("household", 5)
    assert (asynchronous.members, asynchronous.background) == ("coins", 10_000)
    assert (synchronous.unit, synchronous.targets, synchronous.background) == (None, 500, 5_000)
    assert (historic.members, historic.fill_to) == ("half", 10_000)


def test_one_edition_has_both_tracks_with_the_rules_of_the_two():
    both = load("snake1-both").track
    for track, name in zip(both, ("snake1", "snake1-sync"), strict=True):
        alone = load(name).track[0]
        own = {"id": alone.id, "title": alone.title}
        assert track.model_copy(update=own) == alone
    assert [track.sample.targets for track in load("snake1-both", quick=True).track] == [60, 60]


def test_privbayes_spends_half_on_the_network_where_the_paper_says_so():
    for quick in (False, True):
        shares = {
            name: {
                part.network_share
                for entry, part in load(name, quick=quick).track[0].entries.items()
                if entry.startswith("privbayes")
            }
            for name in ("snake1", "snake1-historic")
        }
        assert shares == {"snake1": {0.1}, "snake1-historic": {0.5}}
        names = [list(load(name, quick=quick).track[0].entries) for name in shares]
        assert names[0] == names[1]


@pytest.mark.parametrize("name", ["snake1", "snake1-sync", "snake1-both", "snake1-historic"])
def test_a_profile_repeats_each_experiment_a_hundred_times(name):
    assert {track.repeats for track in load(name).track} == {1}
    assert {track.repeats for track in load(name, profile="repeated").track} == {100}
