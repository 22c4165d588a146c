"""How costs grow with the number of teams and of submissions: one process for each size.

    python -m benchmarks.scoring.growth play 10 50 200
    python -m benchmarks.scoring.growth verify 300 1000 3000 10000
    python -m benchmarks.scoring.growth board 125 500 2000

``play``: so many releases and as many attackers, so n x n cells. ``verify``: so many submissions of
100 teams, each by ``submit`` with all its checks, then a frozen and revealed contest that is
replayed. ``board``: scoring after one new guess, with the results page, when so many teams have
answered two tasks. CPU seconds are of this process, without the one that reads files of strangers
and without workers; the wall clock has all of it, and other programs, too. An exponent of 1 means
that twice as many cost twice as much; it is between two sizes.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import peak, run_alone
from benchmarks.scoring.contest import answer, large_contest, targets_of
from quintain.contests import load
from quintain.jobs.executor import Executor
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.rules import write_rules
from quintain.runs.organising.freeze import freeze, reveal
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify

TEAMS = 100
SMALL = {"repeats": 1, "dataset": {"rows": 400}, "sample": {"targets": 20, "background": 60}}


def play_teams(root: Path, teams: int, executor: Executor) -> Callable[[], object]:
    """A whole play with so many releases and attackers."""
    shares = [round(0.1 + 0.8 * number / teams, 5) for number in range(teams)]
    changes = {
        **SMALL,
        "sanitizer": [{"use": "rr", "grid": {"keep": shares}}],
        "baseline": [{"id": f"team-{n:03d}", "attack": {"use": "nearest"}} for n in range(teams)],
    }
    rules = load("tiny", overrides=changes)
    return lambda: play(rules, root / "run", seed=1, executor=executor)


def verify_submissions(root: Path, submissions: int, executor: Executor) -> Callable[[], object]:
    """A replay of a contest with so many submissions."""
    write_rules(root / "contest", load("tiny", overrides=SMALL))
    folder = Folder(root / "contest")
    prepare(folder, seed=3)
    teams = [f"team-{number:03d}" for number in range(TEAMS)]
    join(folder, [Joining(team) for team in teams])
    (name, targets), *_ = targets_of(folder).items()
    rng = random.Random(1)
    for number in range(submissions):
        submit(folder, teams[number % TEAMS], {name: answer(targets, rng)})
    freeze(folder, "the benchmark has enough")
    reveal(folder)

    def replay() -> None:
        found = verify(folder, executor=executor)
        if found.problems:
            raise SystemExit("\n".join(found.problems))

    return replay


def score_board(root: Path, teams: int, executor: Executor) -> Callable[[], object]:
    """Scoring with the page after one new guess."""
    folder = large_contest(root / "contest", teams, 2)
    score(folder)
    files = {
        name: answer(targets, random.Random(5)) for name, targets in targets_of(folder).items()
    }
    submit(folder, "team-000", files)
    return lambda: score(folder, executor=executor)


KINDS = {"play": play_teams, "verify": verify_submissions, "board": score_board}


def measure(kind: str, size: int, workers: int) -> dict[str, float]:
    """CPU seconds, seconds on the clock and the peak memory of one size."""
    with tempfile.TemporaryDirectory(prefix="quintain-bench-") as place:
        work = KINDS[kind](Path(place), size, Executor(workers))
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        return {
            "cpu": time.process_time() - cpu,
            "wall": time.perf_counter() - wall,
            "memory": peak(),
        }


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.kind, given.sizes[0], given.workers)))
        return
    print(f"| {given.kind} | CPU s | exponent | wall s | exponent | peak MB |")
    print("|---:|---:|---:|---:|---:|---:|")
    last, before = 0, dict[str, float]()
    for size in given.sizes:
        ran = run_alone(__file__, given.kind, size, "--workers", given.workers, "--one")
        cost = json.loads(ran.splitlines()[-1])
        cells = [f"{size:,}"]
        for name in ("cpu", "wall"):
            grown = math.log(cost[name] / before[name]) / math.log(size / last) if before else None
            cells += [f"{cost[name]:.2f}", "" if grown is None else f"{grown:.2f}"]
        print(f"| {' | '.join(cells)} | {cost['memory']:.0f} |", flush=True)
        last, before = size, cost


if __name__ == "__main__":
    main()
