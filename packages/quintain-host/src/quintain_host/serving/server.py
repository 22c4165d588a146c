"""Server: the web process of a site, with its workers in processes beside it."""

from __future__ import annotations

import ctypes
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from quintain.errors import QuintainError
from quintain_host.programs.workers import wants_programs
from quintain_host.serving.connections import ConnectionLimits, Door, protocol_of
from quintain_host.site import Site
from quintain_host.web.app import make_app

LOG = logging.getLogger("quintain_host.serving")

_GRACE = 10
"""How many seconds open requests have when the server ends."""

_OTHER_FILES = 256
"""How many files a web process has open beside its connections: the database, uploads, pipes."""


def serve_site(site: Site, host: str, port: int, workers: int, *, log_format: str = "text") -> None:
    """Answer requests until a signal comes; then finish what was begun."""
    if site.contents is not None and workers > 1:
        raise QuintainError(
            "the machines of this site share files through a store, so each worker needs a folder "
            "of its own: start one here and others with quintain worker FOLDER"
        )
    pages = site.for_pages()
    config = server_config(pages, host, port)
    with _signals(), _workers(pages, workers, log_format):
        LOG.info("the site runs", extra={"url": f"http://{host}:{port}", "workers": workers})
        uvicorn.Server(config).run()
    LOG.info("the site has stopped")


def server_config(site: Site, host: str, port: int) -> uvicorn.Config:
    """How the web server runs: with the limits of the site on connections, and without logs."""
    limits = ConnectionLimits.of(site.settings, _allow_connections(site.settings.connections))
    return uvicorn.Config(
        make_app(site),
        host=host,
        port=port,
        http=protocol_of(Door(limits)),
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the site knows how many proxies it trusts
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )


def _allow_connections(wanted: int) -> int:
    """Let the process open so many connections; returns how many the machine allows.

    A server that runs out of files accepts nobody for a second; the door keeps it below that.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    fitting = wanted if soft == resource.RLIM_INFINITY else soft - _OTHER_FILES
    if fitting < wanted:
        facts = {"wanted": wanted, "allowed": max(1, fitting)}
        LOG.warning("the machine allows fewer connections: raise its limit of files", extra=facts)
    return max(1, min(wanted, fitting))


@contextmanager
def _signals() -> Iterator[None]:
    """Keep the process after the signal that stops the server, so that workers are stopped."""

    def ignore(_signal: int, _frame: FrameType | None) -> None:
        """The server has seen the signal; it sends it to us once more when it has ended."""

    before = {number: signal.signal(number, ignore) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _workers(site: Site, number: int, log_format: str) -> Iterator[None]:
    command, environment = worker_command(site, log_format), _environment(site)
    processes = [WorkerProcess(command, environment) for _ in range(number)]
    if number:
        programs = [*command, "--lanes", "program"]
        # A machine without a sandbox is not asked again and again whether it has one now.
        late = WorkerProcess(
            programs, environment, longest=3600.0, wanted=lambda: wants_programs(site)
        )
        processes.append(late)
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.stop()


def worker_command(site: Site, log_format: str) -> list[str]:
    """The command of a worker, without the URL of the database: others see arguments."""
    return [sys.executable, "-m", "quintain", "worker", str(site.root), "--log-format", log_format]


def _environment(site: Site) -> dict[str, str]:
    return {**os.environ, "QUINTAIN_DATABASE": site.database.url}


_DIE_WITH_PARENT = 1
_LIBRARY = ctypes.CDLL(None)

_STABLE = 60.0
"""A worker that ran for so many seconds is started again at once."""

_ASK_AGAIN = 5.0
"""How many seconds pass until somebody asks again whether a worker is needed."""

_PATIENCE = 30.0
"""How many seconds a worker has to finish the jobs in its hands."""


class WorkerProcess:
    """One worker, in a process of its own, for as long as the server runs.

    Parameters
    ----------
    command : what is run.
    environment : the variables of the process.
    longest : the most seconds to wait before a worker that ends early is started again.
    wanted : asked every few seconds; the worker is started once it says yes.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        longest: float = 30.0,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._command = list(command)
        self._environment = dict(environment)
        self._longest = longest
        self._wanted = wanted
        self._stop = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def pid(self) -> int | None:
        """The number of the process; None while there is none."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def start(self) -> None:
        """Start the process, and watch it."""
        self._thread.start()

    def stop(self) -> None:
        """Let the worker finish the jobs in its hands; end it if that takes too long."""
        self._stop.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()  # a lease gives its jobs to another worker
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        pause = 1.0
        while not self._is_wanted():
            if self._stop.wait(_ASK_AGAIN):
                return
        while not self._stop.is_set():
            began = time.monotonic()
            code = self._run()
            if self._stop.is_set():
                return
            pause = 1.0 if time.monotonic() - began > _STABLE else min(2 * pause, self._longest)
            level = logging.ERROR if code else logging.INFO  # 0: somebody sent it a signal
            facts = {"code": code, "in_s": pause}
            LOG.log(level, "the worker ended; it is started again", extra=facts)
            self._stop.wait(pause)

    def _is_wanted(self) -> bool:
        try:
            return self._wanted()
        except Exception:  # the database may be away for a moment
            LOG.exception("nobody can say whether the worker is needed")
            return False

    def _run(self) -> int | None:
        try:
            # The signal comes when this thread ends, and it lives as long as the server.
            self._process = subprocess.Popen(  # noqa: S603 -- our own command
                self._command, env=self._environment, preexec_fn=_die_with_parent
            )
        except OSError:
            LOG.exception("the worker could not be started")
            return None
        if self._stop.is_set():  # it came too late to be seen by stop()
            self._process.send_signal(signal.SIGTERM)
        return self._process.wait()


def _die_with_parent() -> None:
    """Get a signal when the server is gone, however it ended; and none from the terminal."""
    _LIBRARY.prctl(_DIE_WITH_PARENT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
