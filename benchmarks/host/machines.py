"""Several machines: a site on PostgreSQL and a store, under load, while everything is killed.

python -m benchmarks.host.machines [--store URL] [--teams 200] [--rate 100] [--uploads 5]
                                   [--seconds 600] [--kills 50] [--restarts 3] [--workers 2]

Two web processes and some workers share a database and a store, and nothing else: each process has
a folder of its own. Visitors read pages at a fixed rate, and teams upload guesses. Meanwhile
processes are killed (kill -9) and started again, and PostgreSQL is restarted. In the end every
upload that a server acknowledged must be recorded once with a valid receipt, ``quintain verify``
must accept the contest, and a backup that was written into the store must give the same files on an
empty machine. Without ``--store`` the store is a folder; S3 needs AWS_ENDPOINT_URL and its keys.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import secrets
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import numpy as np
from sqlalchemy import func, select
from tests.host import contest_on_site as contest
from tests.host.postgres_server import PostgresServer, programs

from benchmarks.host.fault_checks import problems_of, problems_of_the_end, settle, summary
from benchmarks.host.fault_stage import (
    ANSWER,
    Process,
    Stage,
    free_port,
    make_stage,
    wait_until_ready,
)
from benchmarks.host.faults import guess
from quintain_host.backups import back_up_to_store, restore_from_store
from quintain_host.database.work import Upload
from quintain_host.site import SETTINGS

PAGES = ("/", "/contests/faults", "/contests/faults/standings", "/contests/faults/teams")
"""What visitors look at."""


@dataclass
class Traffic:
    """What visitors and teams met so far."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"page": [], "upload": []})
    faults: Counter[str] = field(default_factory=Counter)
    acknowledged: dict[int, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, seconds: float) -> None:
        """Keep how long an answer took."""
        with self.lock:
            self.seconds[kind].append(seconds)

    def fault(self, what: str) -> None:
        """Count a request without a useful answer."""
        with self.lock:
            self.faults[what] += 1


def main() -> None:
    """Print the table; the exit status is 1 if something was lost."""
    given = _options()
    place = programs()
    if place is None:
        raise SystemExit("there is no PostgreSQL: run scripts/postgres.sh as root")
    server = PostgresServer(place)
    try:
        with tempfile.TemporaryDirectory(prefix="quintain-machines-") as folder:
            problems = run(Path(folder), server, given)
    finally:
        server.stop()
    for problem in problems[:20]:
        print(f"PROBLEM: {problem}")
    sys.exit(1 if problems else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", default="")
    parser.add_argument("--teams", type=int, default=200)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--uploads", type=float, default=5)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--restarts", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--lease", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def run(root: Path, server: PostgresServer, given: argparse.Namespace) -> list[str]:
    """Load, kill, settle, check and restore; prints the table and returns every problem."""
    store = f"{given.store or f'file://{root}/store'}/{secrets.token_hex(4)}"
    url = server.url(server.create())
    stage = make_stage(root / "main", given.teams, database=url, lease=given.lease, store=store)
    ports = [stage.port, free_port()]
    every = _processes(stage, root, ports, given.workers)
    try:
        return _measure(stage, every, root, server, given, ports, store)
    finally:
        for process in every:
            process.end()


def _measure(
    stage: Stage,
    every: list[Process],
    root: Path,
    server: PostgresServer,
    given: argparse.Namespace,
    ports: list[int],
    store: str,
) -> list[str]:
    traffic, stop = Traffic(), threading.Event()
    threads = [
        *_visitors(stage, ports, traffic, given, stop),
        threading.Thread(target=_kill, args=(stage, every, ports, given, stop)),
        threading.Thread(target=_restart, args=(server, given, stop)),
    ]
    began, visited = time.monotonic(), time.process_time()
    before = {process.kind: process.worked() for process in every}
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loaded, visited = time.monotonic() - began, time.process_time() - visited
    waited = settle(stage.site)
    worked = {process.kind: round(process.worked() - before[process.kind], 1) for process in every}
    memory = {process.kind: process.resident() for process in every}
    codes = [process.stop() for process in every]
    problems = [f"{p.kind} ended with {code}" for p, code in zip(every, codes, strict=True) if code]
    problems += problems_of(stage.site, traffic.acknowledged)
    problems += problems_of_the_end(stage.site)
    problems += restored_wrongly(stage, root, server, store)
    facts = {
        "database and store": f"postgresql, {store.split(':')[0]}",
        "web processes, workers, teams": f"{len(ports)}, {given.workers}, {given.teams}",
        "seconds of load": f"{loaded:.0f}",
        "load of the machine, average of 15 minutes": f"{os.getloadavg()[2]:.1f}",
        "CPU seconds of the visitors and of this program": f"{visited:.0f}",
        **_latencies(traffic),
        "pages answered a second": f"{len(traffic.seconds['page']) / loaded:.1f}",
        "uploads acknowledged": len(traffic.acknowledged),
        "uploads recorded a second": f"{throughput(stage):.1f}",
        "requests without an answer, and why": dict(traffic.faults),
        **{f"kills of {process.kind}": process.kills for process in every},
        "restarts of PostgreSQL": given.restarts,
        "seconds from the last upload until nothing waited": f"{waited:.1f}",
        "CPU seconds under load": worked,
        "memory at the end, MB": memory,
        **summary(stage.site),
        "why jobs failed": _reasons(stage),
        "problems": len(problems),
    }
    stage.site.close()
    print("| what | value |\n|---|---:|")
    for what, value in facts.items():
        print(f"| {what} | {value} |")
    return problems


def _processes(stage: Stage, root: Path, ports: list[int], workers: int) -> list[Process]:
    """Web processes and workers, each with a folder of its own and the same settings."""
    every = []
    for number, port in enumerate(ports, 1):
        place = _machine(stage, root, f"web-{number}")
        serve = ("serve", str(place), "--port", str(port), "--no-worker")
        every.append(Process(stage, f"server {number}", place / "log", *serve))
    for number in range(1, workers + 1):
        place, name = _machine(stage, root, f"worker-{number}"), f"worker {number}"
        every.append(Process(stage, name, place / "log", "worker", str(place), "--name", name))
    for port in ports:
        wait_until_ready(stage._replace(port=port))
    return every


def _machine(stage: Stage, root: Path, name: str) -> Path:
    place = root / name
    place.mkdir(0o700)
    (place / SETTINGS).write_bytes((stage.site.root / SETTINGS).read_bytes())
    return place


def _visitors(
    stage: Stage,
    ports: list[int],
    traffic: Traffic,
    given: argparse.Namespace,
    stop: threading.Event,
) -> list[threading.Thread]:
    """Threads that send pages and uploads at a fixed rate."""
    readers = max(1, round(given.rate / 5))
    senders = max(1, min(given.teams, round(given.uploads * 4)))
    teams = list(stage.tokens)
    shares = [teams[number::senders] for number in range(senders)]
    rng = random.Random(given.seed)
    threads = [
        threading.Thread(
            target=_read,
            args=(ports, traffic, readers / given.rate, random.Random(rng.random()), stop),
        )
        for _ in range(readers if given.rate else 0)
    ]
    threads += [
        threading.Thread(
            target=_submit,
            args=(stage, ports, traffic, share, senders / given.uploads, rng.random(), stop),
        )
        for share in shares
    ]
    return threads


def _read(
    ports: list[int],
    traffic: Traffic,
    pause: float,
    rng: random.Random,
    stop: threading.Event,
) -> None:
    time.sleep(rng.uniform(0, pause))
    with _client() as client:
        while not stop.is_set():
            began = time.monotonic()
            try:
                answer = client.get(
                    f"http://127.0.0.1:{rng.choice(ports)}{rng.choice(PAGES)}",
                    headers={"X-Forwarded-For": _address(rng)},
                )
                traffic.note("page", time.monotonic() - began)
                if answer.status_code != 200:
                    traffic.fault(f"page {answer.status_code}")
            except httpx2.TransportError as problem:
                traffic.fault(f"page {type(problem).__name__}")
            stop.wait(max(0.0, pause - (time.monotonic() - began)))


def _client() -> httpx2.Client:
    """A client that keeps its connections, as a reverse proxy does, and names a language."""
    return httpx2.Client(timeout=30, headers={"Accept-Language": "en"})


def _submit(
    stage: Stage,
    ports: list[int],
    traffic: Traffic,
    teams: list[str],
    pause: float,
    seed: float,
    stop: threading.Event,
) -> None:
    """Send guesses of some teams, one after the other; what fails is sent again."""
    rng = random.Random(seed)
    time.sleep(rng.uniform(0, pause))
    with _client() as client:
        while not stop.is_set():
            began = time.monotonic()
            _send(client, stage, ports, traffic, rng.choice(teams), guess(rng), rng)
            stop.wait(max(0.0, pause - (time.monotonic() - began)))


def _send(
    client: httpx2.Client,
    stage: Stage,
    ports: list[int],
    traffic: Traffic,
    team: str,
    content: bytes,
    rng: random.Random,
) -> None:
    headers = {
        "Authorization": f"Bearer {stage.tokens[team]}",
        "X-Forwarded-For": _address(rng),
    }
    while True:
        began, files = time.monotonic(), [("file", (ANSWER, content, "text/csv"))]
        address = f"http://127.0.0.1:{rng.choice(ports)}/api/editions/faults/uploads"
        try:
            answer = client.post(address, files=files, headers=headers)
            if answer.status_code == 202:
                traffic.note("upload", time.monotonic() - began)
                with traffic.lock:
                    traffic.acknowledged[int(answer.json()["id"])] = content
                return
            traffic.fault(f"upload {answer.status_code}")
        except httpx2.TransportError as problem:
            traffic.fault(f"upload {type(problem).__name__}")
        time.sleep(0.3)


def _address(rng: random.Random) -> str:
    return f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"


def _kill(
    stage: Stage,
    every: list[Process],
    ports: list[int],
    given: argparse.Namespace,
    stop: threading.Event,
) -> None:
    """Kill processes at random moments, then end the load once all of them work again.

    One that does nothing yet can lose nothing, so it is not killed.
    """
    rng, end = random.Random(given.seed), time.monotonic() + given.seconds
    for _ in range(given.kills):
        time.sleep(rng.uniform(0.2, 1.8) * given.seconds / (given.kills + 1))
        while not (working := [process for process in every if process.ready()]):
            time.sleep(0.05)
        rng.choice(working).kill()
    _wait_for_all(stage, every, ports)
    stop.wait(max(0.0, end - time.monotonic()))
    stop.set()


def _wait_for_all(stage: Stage, every: list[Process], ports: list[int]) -> None:
    """Wait until every process does its work."""
    while not all(process.ready() for process in every):
        time.sleep(0.05)
    for port in ports:
        wait_until_ready(stage._replace(port=port))


def _restart(server: PostgresServer, given: argparse.Namespace, stop: threading.Event) -> None:
    for _ in range(given.restarts):
        if not stop.wait(given.seconds / (given.restarts + 1)):
            server.restart()


def restored_wrongly(stage: Stage, root: Path, server: PostgresServer, store: str) -> list[str]:
    """Back up into the store, restore on an empty machine, and compare every file and row."""
    backup = f"{store}/backups/end.zip"
    written = back_up_to_store(stage.site, backup)
    restored = root / "restored"
    again = restore_from_store(backup, restored, server.url(server.create()))
    problems = [] if again == written else ["the restored backup has another list of files"]
    site = stage.site.edition_root("faults")
    for name in written.files:
        own = name.removeprefix("editions/faults/")
        if own != name and (site / own).read_bytes() != (restored / name).read_bytes():
            problems.append(f"{name} has other bytes after the restore")
    return problems


def _reasons(stage: Stage) -> dict[str, int]:
    failed = (job for job in contest.jobs(stage.site) if job.state == "failed")
    return dict(Counter(f"{job.kind}: {job.reason}" for job in failed))


def _latencies(traffic: Traffic) -> dict[str, str]:
    facts = {}
    for kind, seconds in traffic.seconds.items():
        if seconds:
            cuts = np.quantile(seconds, [0.5, 0.99, 1.0]) * 1000
            facts[f"{kind}: number, p50, p99, most in ms"] = f"{len(seconds)}, " + ", ".join(
                f"{cut:.0f}" for cut in cuts
            )
    return facts


def throughput(stage: Stage) -> float:
    """Uploads that became events, a second, from the first to the last one that came."""
    arrived = select(func.min(Upload.arrived), func.max(Upload.arrived), func.count(Upload.event))
    with contextlib.closing(stage.site.database.engine.connect()) as connection:
        first, last, number = connection.execute(arrived).one()
    return number / max(1.0, (last - first).total_seconds()) if number else 0.0


if __name__ == "__main__":
    main()
