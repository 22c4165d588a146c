"""Intake: how many uploads a second one worker and two workers examine and record.

python -m benchmarks.host.intake [--uploads 200] [--teams 20] [--workers 1 2] [--store]

Uploads of many teams wait in the queue of a site on PostgreSQL until all workers are ready. Then
the time counts until the last one is recorded. With ``--store`` each worker has a folder of its
own, and files go through a store in a folder.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select, update
from tests.host import contest_on_site as contest
from tests.host.postgres_server import PostgresServer, programs

from benchmarks.host.fault_stage import ANSWER, Process, Stage, make_stage
from benchmarks.host.faults import guess
from quintain_host.database.work import QueuedJob, Upload
from quintain_host.intake.intake import take
from quintain_host.site import SETTINGS


def main() -> None:
    """Print a line for each number of workers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--uploads", type=int, default=200)
    parser.add_argument("--teams", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    place = programs()
    if place is None:
        raise SystemExit("there is no PostgreSQL: run scripts/postgres.sh as root")
    server = PostgresServer(place)
    print("| workers | uploads | seconds | uploads a second |\n|---:|---:|---:|---:|")
    try:
        for workers in given.workers:
            with tempfile.TemporaryDirectory(prefix="quintain-intake-") as folder:
                number, seconds = measure(Path(folder), server, workers, given)
            print(f"| {workers} | {number} | {seconds:.1f} | {number / seconds:.1f} |", flush=True)
    finally:
        server.stop()


def measure(
    root: Path, server: PostgresServer, workers: int, given: argparse.Namespace
) -> tuple[int, float]:
    """Let some workers do everything that waits; returns how many uploads, and how many seconds."""
    options = {"store": f"file://{root}/store"} if given.store else {}
    url = server.url(server.create())
    stage = make_stage(root / "site", given.teams, database=url, lease=15.0, **options)
    fill(stage, given.uploads)
    every = [_worker(stage, root, number, own=given.store) for number in range(1, workers + 1)]
    while not all(worker.ready() for worker in every):
        time.sleep(0.05)
    began = time.monotonic()
    _let_start(stage, None)
    waiting = select(func.count()).where(Upload.state == "waiting")
    while _count(stage, waiting):
        time.sleep(0.02)
    seconds = time.monotonic() - began
    for worker in every:
        worker.stop()
    number = _count(stage, select(func.count()).where(Upload.state == "accepted"))
    stage.site.close()
    return number, seconds


def fill(stage: Stage, uploads: int) -> None:
    """Send uploads of all teams in turn; none of them may start yet."""
    rng = random.Random(1)
    captains = [contest.visitor(stage.site, team) for team in stage.tokens]
    for number in range(uploads):
        take(stage.site, captains[number % len(captains)], "faults", {ANSWER: guess(rng)})
    _let_start(stage, timedelta(seconds=55))


def _let_start(stage: Stage, later: timedelta | None) -> None:
    moment = None if later is None else stage.site.clock.now() + later
    with stage.site.database.writing("queue") as session:
        waiting = update(QueuedJob).where(QueuedJob.state == "waiting", QueuedJob.kind == "check")
        session.execute(waiting.values(not_before=moment))


def _worker(stage: Stage, root: Path, number: int, *, own: bool) -> Process:
    name, place = f"worker {number}", stage.site.root
    if own:
        place = root / f"worker-{number}"
        place.mkdir(0o700)
        (place / SETTINGS).write_bytes((stage.site.root / SETTINGS).read_bytes())
    log = root / f"{number}.log"
    return Process(stage, name, log, "worker", str(place), "--name", name, "--lanes", "intake")


def _count(stage: Stage, query: object) -> int:
    with stage.site.database.reading() as session:
        return int(session.scalar(query) or 0)  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
