"""Server: the web process of a site, with its workers beside it."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from quintain.host.programs.wanted import wants_programs
from quintain.host.serving.worker_processes import WorkerProcess
from quintain.host.site import Site
from quintain.host.web.app import make_app

LOG = logging.getLogger("quintain.host.serving")

_GRACE = 10
"""How many seconds open requests have when the server ends."""


def serve_site(site: Site, host: str, port: int, workers: int, *, log_format: str = "text") -> None:
    """Answer requests until a signal comes; then finish what was begun."""
    config = uvicorn.Config(
        make_app(site),
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the site knows how many proxies it trusts
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        limit_concurrency=1000,
    )
    with _signals(), _workers(site, workers, log_format):
        LOG.info("the site runs", extra={"url": f"http://{host}:{port}", "workers": workers})
        uvicorn.Server(config).run()
    LOG.info("the site has stopped")


@contextmanager
def _signals() -> Iterator[None]:
    """Keep the process after the signal that stops the server, so that workers are stopped."""

    def stopped(_signal: int, _frame: FrameType | None) -> None:
        """The server has seen the signal; it sends it to us once more when it has ended."""

    before = {number: signal.signal(number, stopped) for number in (signal.SIGTERM, signal.SIGINT)}
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
    """The command of a worker; the URL of the database is no argument, because others see those."""
    return [sys.executable, "-m", "quintain", "worker", str(site.root), "--log-format", log_format]


def _environment(site: Site) -> dict[str, str]:
    return {**os.environ, "QUINTAIN_DATABASE": site.database.url}
