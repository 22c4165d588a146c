"""How long a round of AMIC takes; prints a table.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.amic.round

A whole preliminary round at full size, played by ``quintain play`` with two workers: a population
of 100,000, twenty teams with 10,000 records each, twenty releases that are checked, measured and
handed over, and three attackers on each. The last lines time one check, one measurement and one
attack by nearest records, in a process that has done each of them before.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.bench.machine import people, real_data
from quintain.contests import Edition, load
from quintain.data.sources.adult import TRAIN
from quintain.jobs.executor import Executor
from quintain.plays import play_or_raise
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import Task
from quintain.runs.play import play
from quintain.runs.scores.cells import measure_release
from quintain.runs.submissions.checking import check
from quintain.runs.tasks.baselines import situation_of

RECIPES = [
    *({"use": "rrp", "keep": keep} for keep in (0.999, 0.99, 0.98, 0.95, 0.9)),
    *({"use": "rr", "keep": keep, "draw": "occurring"} for keep in (0.999, 0.99, 0.95, 0.9)),
    *({"use": "swapping", "share": share} for share in (0.05, 0.1, 0.2)),
    *({"use": "integer-noise", "scale": scale} for scale in (1.0, 3.0)),
    {"use": "small-class-deletion", "k": 5, "columns": ["education", "occupation", "relationship"]},
    {"use": "record-deletion"},
    {"use": "top-bottom-coding"},
    {"use": "moments"},
    {"use": "moments", "variant": "zca"},
    {"use": "identity"},
]
ATTACKS = (
    {"use": "nearest", "distance": "euclidean"},
    {"use": "exact-match"},
    {"use": "random"},
)


def edition(real: bool) -> Edition:
    """The preliminary round with twenty teams."""
    teams = [{"id": f"{i:02d}", "sanitizer": part} for i, part in enumerate(RECIPES, start=1)]
    attackers = [{"id": part["use"], "attack": part} for part in ATTACKS]
    changes = {"baseline": [*teams, *attackers], "dataset": {"real": real}}
    both = load("amic", overrides=changes)
    only = (both.track_by_id("pre"),)
    return both.model_copy(update={"track": only, "overall": (), "award": ()})


def main() -> None:
    """Play the round, then repeat two steps of it alone."""
    real = real_data(TRAIN[0])
    with tempfile.TemporaryDirectory() as name:
        begin = time.time()
        run = play(edition(real), Path(name) / "run", seed=1, executor=Executor(2))
        wall = time.time() - begin
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{people(real)}, load {os.getloadavg()[0]:.1f}\n")
        print("| what | CPU s | wall s | peak MB of a worker |\n|---|---|---|---|")
        what = f"round of {len(RECIPES)} teams, {len(ATTACKS)} attackers"
        print(f"| {what} | | {wall:.1f} | {peak:.0f} |")
        _one_by_one(run)


def _one_by_one(run: Folder) -> None:
    track = run.edition().track[0]
    task = Task(track.id, "02")
    content = (run.root / "teams/02/pre/private.csv").read_bytes()
    files = {"pre_anonymizeddata_02.csv": content}
    original, test = run.private(track, task), run.test_data(track.id)
    release = run.release(track, task)
    situation = situation_of(run, track, task)
    rng = np.random.default_rng(0)
    nearest = next(b.attack for b in track.baseline if b.id == "nearest")
    for label, step in (
        ("check of one release", lambda: check(run, track, "release", "02", files)),
        (
            "all utilities of one release",
            lambda: measure_release(track, original, release.data, test),
        ),
        (
            "nearest records of one release",
            lambda: play_or_raise(nearest, situation, rng=rng),
        ),
    ):
        step()
        begin = time.process_time()
        step()
        print(f"| {label} | {time.process_time() - begin:.2f} | | |")


if __name__ == "__main__":
    main()
