"""A site with teams for the benchmark of faults, and its real processes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import httpx2
from tests.host import contest_on_site as contest

from quintain_host.accounts.passwords import hash_secret, new_secret
from quintain_host.database.people import Token
from quintain_host.serving.opening import bring_up_to_date, open_site
from quintain_host.site import Site

EDITION = """\
id = "faults"
title = "Who was in the data?"
goal = { use = "membership-set", guesses = 5 }
dataset = { use = "adult", rows = 120 }
sample = { use = "subset", rows = 30 }
privacy = ["hit-rate"]
knowledge = { gives = ["base"] }

[[sanitizer]]
use = "identity"

[[sanitizer]]
use = "rr"
grid = { keep = [0.9, 0.5] }

[[baseline]]
id = "nearest"
attack = { use = "nearest" }

[[board]]
id = "attackers"
title = "Attackers"
use = "mean"
measure = "hit_rate"

[[phase]]
id = "attack"
submit = "guess"
"""
"""Teams attack three releases of the organisers; without dates, because the clock is real."""

POPULATION = 120
ANSWER = "entry-1.csv"
"""The file with which a team answers for the first release."""


class Stage(NamedTuple):
    """A site with a contest that runs, and the secret of each team's token."""

    site: Site
    tokens: dict[str, str]
    port: int

    @property
    def url(self) -> str:
        """Where the server answers."""
        return f"http://127.0.0.1:{self.port}"


def make_stage(root: Path, teams: int, *, database: str, lease: float, store: str = "") -> Stage:
    """Make a site with a prepared contest and teams that have joined."""
    port = free_port()
    root.mkdir(parents=True, exist_ok=True)
    settings = f'url = "http://127.0.0.1:{port}"\nlease = {lease}\npending = 50\n'
    if store:
        settings += f'store = "{store}"\nproxies = 1\n'
    (root / "site.toml").write_text(settings)
    site = open_site(root, database)
    bring_up_to_date(site.database)
    contest.prepared(site, EDITION)
    names = [f"team-{number}" for number in range(1, teams + 1)]
    for name in names:
        contest.register(site, "faults", name)
    contest.drain(site)
    return Stage(site, {name: _token(site, name) for name in names}, port)


def _token(site: Site, team: str) -> str:
    secret, now = new_secret(), site.clock.now()
    person = contest.account_of(site, team)
    with site.database.writing("accounts") as session:
        session.add(
            Token(
                hash=hash_secret(secret),
                account=person,
                label="benchmark",
                scopes=["read", "submit"],
                created=now,
                expires=now.replace(year=now.year + 1),
            )
        )
    return secret


class Process:
    """A process of the site that is killed and started again."""

    def __init__(self, stage: Stage, kind: str, log: Path, *arguments: str) -> None:
        self.kind = kind
        self.kills = 0
        self._worked = 0.0
        self._command = [sys.executable, "-m", "quintain", *arguments]
        self._environment = {**os.environ, "QUINTAIN_DATABASE": stage.site.database.url}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start the process; what it says is added to its log.

        It has a session of its own: the kernel shares processors between sessions, so a busy
        visitor takes no more from a server than on machines of their own.
        """
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def ready(self) -> bool:
        """Whether it does its work since it was started last."""
        web = self.kind.startswith("server")
        greeting = b"the site runs" if web else b"the worker begins"
        return self._log.read_bytes().count(greeting) > self.kills

    def resident(self) -> int:
        """Its memory in MB."""
        assert self._process is not None
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1000

    def worked(self) -> float:
        """The CPU seconds that it has taken, with those of the processes that were killed."""
        return self._worked + self._seconds()

    def _seconds(self) -> float:
        """The CPU seconds of the process that runs now, with those that it has waited for."""
        assert self._process is not None
        facts = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, facts[11:15])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """End it without any warning, and start it again."""
        assert self._process is not None
        self._worked += self._seconds()
        self._process.kill()
        self._process.wait()
        self.kills += 1
        self.start()

    def end(self) -> None:
        """End it, if it still runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> int:
        """Ask it to end; returns how it ended."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(60)


def processes(stage: Stage, workers: int) -> list[Process]:
    """The server and its workers, each of which can be killed by itself."""
    root, logs = str(stage.site.root), stage.site.root
    serve = ("serve", root, "--port", str(stage.port), "--no-worker")
    every = [Process(stage, "server", logs / "server.log", *serve)]
    for number in range(1, workers + 1):
        name = f"worker {number}"
        log = logs / f"worker-{number}.log"
        every.append(Process(stage, name, log, "worker", root, "--name", name))
    wait_until_ready(stage)
    return every


def wait_until_ready(stage: Stage) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        with contextlib.suppress(httpx2.TransportError):
            if httpx2.get(f"{stage.url}/readyz").status_code == 200:
                return
        time.sleep(0.1)
    raise TimeoutError("the server does not answer")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
