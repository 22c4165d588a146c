"""Half-open connections: whether a site answers others while somebody holds many connections.

python -m benchmarks.host.half_open [--connections 1500] [--seconds 20]

It starts ``quintain serve`` and opens connections that never complete a request: headers or bodies
that come byte by byte, from one address, from an address of its own each, or from the address of
the visitor. Who is closed comes again after five seconds. Meanwhile a visitor asks for a page four
times a second, each time with a new connection. It prints how long the visitor waited.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np

VISITOR = "127.0.0.1"
ATTACKER = "127.0.0.2"
HEADER = b"GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BODY = (
    b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nemail="
)
PAUSE = 5.0
"""How many seconds a client waits before its next byte, and before it comes again."""

CASES = {
    "headers, one address": (HEADER, "one"),
    "bodies, one address": (BODY, "one"),
    "headers, an address each": (HEADER, "each"),
    "bodies, an address each": (BODY, "each"),
    "headers, the visitor's address": (HEADER, "same"),
}


@dataclass
class Visits:
    """How long each visit took, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Holders:
    """Clients that hold connections open, each of them again and again; a process of their own."""

    def __init__(self, port: int, number: int, case: str, pause: float) -> None:
        self._start, self._addresses = CASES[case]
        self._port, self._number, self._pause = port, number, pause
        self.open = self.closed = 0

    async def hold(self, stop: Event) -> None:
        """Hold the connections until ``stop`` is set."""
        allow_files(self._number + 500)
        holders = [asyncio.ensure_future(self._hold(number)) for number in range(self._number)]
        while not stop.is_set():
            await asyncio.sleep(0.1)
        for holder in holders:
            holder.cancel()

    async def _hold(self, number: int) -> None:
        await asyncio.sleep(self._pause * number / self._number)
        while True:
            with suppress(OSError):
                await self._hold_once(self._source(number))
            self.closed += 1
            await asyncio.sleep(self._pause)

    async def _hold_once(self, source: str) -> None:
        reader, writer = await asyncio.open_connection(VISITOR, self._port, local_addr=(source, 0))
        self.open += 1
        try:
            writer.write(self._start)
            while True:
                try:
                    if not await asyncio.wait_for(reader.read(1024), self._pause):
                        return
                except TimeoutError:
                    writer.write(b"x")
        finally:
            self.open -= 1
            writer.close()

    def _source(self, number: int) -> str:
        if self._addresses == "each":
            return f"127.{1 + number // 250 // 250}.{number // 250 % 250}.{2 + number % 250}"
        return VISITOR if self._addresses == "same" else ATTACKER


def hold(holders: Holders, stop: Event, figures: Queue[tuple[int, int]]) -> None:
    """Hold connections until ``stop`` is set; then say how many are open and were closed."""

    async def hold_and_count() -> None:
        await holders.hold(stop)
        figures.put((holders.open, holders.closed))

    asyncio.run(hold_and_count())


def main() -> None:
    """Run every case, and print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--connections", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    for name in CASES:
        with tempfile.TemporaryDirectory() as place:
            measure(Path(place), name, given.connections, given.seconds)


def allow_files(number: int) -> None:
    """Let this process have so many connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < number:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(number, hard), hard))


def measure(
    place: Path, name: str, connections: int, seconds: float, pause: float = PAUSE
) -> Visits:
    """Visit a site while others hold connections, and print the figures."""
    port, spawn = _free_port(), get_context("spawn")
    stop, figures = spawn.Event(), spawn.Queue()
    clients = Holders(port, connections, name, pause)
    holders = spawn.Process(target=hold, args=(clients, stop, figures))
    command = [sys.executable, "-m", "quintain", "serve", str(place / "site"), "--no-worker"]
    with (place / "server.log").open("wb") as log:
        server = subprocess.Popen([*command, "--port", str(port)], stderr=log)
    try:
        _wait(port)
        holders.start()
        visits = _visit(port, pause + seconds)
        stop.set()
        held, closed = figures.get(timeout=60)
        holders.join()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    times = np.array(visits.seconds or [np.inf])
    print(
        f"{name}: {connections} clients hold {held} connections, {closed} were closed; "
        f"{len(visits.seconds)} visits, {len(visits.errors)} failed "
        f"{sorted(set(visits.errors))[:3]}; median {np.median(times):.3f} s, "
        f"99 % {np.quantile(times, 0.99):.3f} s, longest {times.max():.3f} s",
        flush=True,
    )
    return visits


def _visit(port: int, seconds: float) -> Visits:
    visits, end = Visits(), time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            status = _status(port, "/sign-in", 10)
        except (OSError, http.client.HTTPException) as problem:
            visits.errors.append(type(problem).__name__)
        else:
            visits.seconds.append(time.monotonic() - began)
            if status != 200:
                visits.errors.append(str(status))
        time.sleep(max(0.0, 0.25 - (time.monotonic() - began)))
    return visits


def _status(port: int, path: str, timeout: float) -> int:
    connection = http.client.HTTPConnection(VISITOR, port, timeout=timeout)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        return connection.getresponse().status
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((VISITOR, 0))
        return int(probe.getsockname()[1])


def _wait(port: int) -> None:
    for _ in range(300):
        try:
            if _status(port, "/readyz", 10) == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit("the server does not start")


if __name__ == "__main__":
    main()
