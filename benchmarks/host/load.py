"""Load: how a site answers while many teams look at it and its worker scores.

python -m benchmarks.host.load [--seconds 300] [--teams 200] [--rate 20] [--workers 1]
                               [--database URL]

It makes a site with a played contest, starts ``quintain serve`` on it, and sends requests at a
fixed rate: pages, the API, and one upload per second. It prints how long answers took, the memory
of each process, and how long it took until a new guess was on the board.
"""

from __future__ import annotations

import argparse
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path

import numpy as np
from sqlalchemy import select

from benchmarks.host.crowd.played_site import Player, guesses, make_site, submit_first
from benchmarks.host.crowd.visits import PAGES, Tally, Visitors
from quintain_host.database.work import QueuedJob, Upload
from quintain_host.site import Site

_PATIENCE = 120
"""How many seconds the worker has to do what is left in the end."""

_PREPARED = 200
"""How many different uploads are made before the clock starts."""


def main() -> None:
    """Run the load, and print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--teams", type=int, default=200)
    parser.add_argument("--first", type=int, default=50, help="teams that submitted before")
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--database", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        measure(Path(place) / "site", given)


def measure(root: Path, given: argparse.Namespace) -> Tally:
    """Make the site, let the crowd come, and print the figures."""
    port = _free_port()
    began = time.perf_counter()
    site, players = make_site(root, f"http://127.0.0.1:{port}", given.database, given.teams)
    submit_first(site, players[: given.first])
    print(f"{given.teams} teams, {given.first} with guesses: {time.perf_counter() - began:.0f} s")
    uploads = list(islice(guesses(site), _PREPARED))
    server = _serve(root, port, given)
    try:
        _wait(port)
        kinds = _offered(port, players[0])
        visitors = Visitors(port, players, kinds, lambda number: uploads[number % _PREPARED])
        memory = Memory(server.pid, given.seconds)
        memory.start()
        visitors.come(given.seconds, given.rate)
        memory.join()
        _settle(site)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    _print(visitors.tally, memory, site, given)
    site.close()
    return visitors.tally


def _serve(root: Path, port: int, given: argparse.Namespace) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "quintain", "serve", str(root), "--port", str(port)]
    command += ["--workers", str(given.workers)]
    environment = {**os.environ, "QUINTAIN_DATABASE": given.database}
    with (root.parent / "server.log").open("wb") as log:
        return subprocess.Popen(command, env=environment, stderr=log)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _status(port: int, path: str, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def _wait(port: int) -> None:
    for _ in range(300):
        try:
            if _status(port, "/readyz", {}) == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit("the server does not start")


def _offered(port: int, player: Player) -> list[str]:
    """The kinds of visits that this version of the site answers; the others are named."""
    headers = {"Cookie": f"quintain={player.cookie}", "X-Forwarded-For": "10.9.9.9"}
    token = {"Authorization": f"Bearer {player.token}", "X-Forwarded-For": "10.9.9.9"}
    statuses = {
        kind: _status(port, path, token if kind.startswith("api") else headers)
        for kind, (_, path) in PAGES.items()
    }
    missing = {kind: status for kind, status in statuses.items() if status != 200}
    if missing:
        print(f"not offered: {missing}")
    return [kind for kind in PAGES if kind not in missing]


class Memory(threading.Thread):
    """Reads the memory of the server and its workers at the start, in the middle and at the end."""

    def __init__(self, pid: int, seconds: float) -> None:
        super().__init__()
        self._pid = pid
        self._pause, self._first = seconds / 2, min(5.0, seconds / 4)
        self.readings: list[dict[str, float]] = []

    def run(self) -> None:
        """Read three times."""
        for number in range(3):
            time.sleep(self._first if number == 0 else self._pause - self._first / 2)
            self.readings.append(self._read())

    def _read(self) -> dict[str, float]:
        children = Path(f"/proc/{self._pid}/task").glob("*/children")
        workers = [int(one) for path in children for one in path.read_text().split()]
        pids = {"server": self._pid, **{f"worker {n}": one for n, one in enumerate(workers, 1)}}
        return {name: _resident(pid) for name, pid in pids.items()}


def _resident(pid: int) -> float:
    """The memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1000
    return 0.0


def _settle(site: Site) -> None:
    """Wait until the worker has done everything; at most two minutes."""
    for _ in range(_PATIENCE):
        with site.database.reading() as session:
            waiting = select(QueuedJob).where(QueuedJob.state.in_(("waiting", "running")))
            jobs = [f"{job.kind} {job.state} {job.reason}" for job in session.scalars(waiting)]
        if not jobs:
            return
        time.sleep(1)
    print(f"the worker is still behind after two minutes: {jobs[:3]}")


def board_delays(site: Site) -> list[float]:
    """The seconds from each upload of a request until a scoring that knows it was done."""
    with site.database.reading() as session:
        checks = session.execute(
            select(Upload.arrived, QueuedJob.ended)
            .join(QueuedJob, QueuedJob.event == Upload.event)
            .where(QueuedJob.kind == "check", Upload.state == "accepted")
        ).all()
        scorings = session.execute(
            select(QueuedJob.started, QueuedJob.ended)
            .where(QueuedJob.kind == "score", QueuedJob.state == "done")
            .order_by(QueuedJob.started)
        ).all()
    delays = []
    for arrived, checked in checks:
        ends = [ended for started, ended in scorings if started >= checked]
        if ends:
            delays.append((min(ends) - arrived).total_seconds())
    return delays


def _print(tally: Tally, memory: Memory, site: Site, given: argparse.Namespace) -> None:
    kind_of_database = site.database.engine.dialect.name
    print(f"{given.rate:g} requests/s for {given.seconds:g} s, {kind_of_database}, ", end="")
    print(f"workers: {given.workers}")
    print(f"{'kind':>14} {'number':>7} {'p50':>7} {'p95':>7} {'p99':>7} {'most':>7}   ms")
    for kind, seconds in sorted(tally.seconds.items()):
        cuts = np.quantile(seconds, [0.5, 0.95, 0.99, 1.0]) * 1000
        print(f"{kind:>14} {len(seconds):>7} " + " ".join(f"{one:>7.0f}" for one in cuts))
    print(f"errors: {len(tally.errors)} {sorted(set(tally.errors))[:5]}")
    for moment, reading in zip(("start", "middle", "end"), memory.readings, strict=False):
        print(f"memory, {moment:>6}: { ({name: round(one) for name, one in reading.items()}) } MB")
    delays = board_delays(site)[-int(given.seconds) :]
    if delays:
        cuts = np.quantile(delays, [0.5, 0.95, 1.0])
        print("upload to board, s: p50 {:.1f}, p95 {:.1f}, most {:.1f}".format(*cuts), end="")
        print(f" ({len(delays)} uploads)")


if __name__ == "__main__":
    main()
