"""The command ``worker``: do the jobs of a site."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from types import FrameType

import click

from quintain.cli.examples import examples
from quintain.cli.host import options
from quintain.cli.host.extra import require_server_extra

LANES = ("clerk", "bench", "program")


def _lanes(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    lanes = tuple(part.strip() for part in value.split(","))
    for lane in lanes:
        if lane not in LANES:
            raise click.BadParameter(f"unknown lane {lane!r}; available: {', '.join(LANES)}")
    return tuple(dict.fromkeys(lanes))


@click.command(
    epilog=examples(
        "quintain worker my-site",
        "quintain worker my-site --lanes program --name sandbox-1",
    )
)
@options.site
@click.option(
    "--lanes",
    default="clerk,bench",
    show_default=True,
    callback=_lanes,
    help="The kinds of work: clerk checks uploads, bench prepares and scores, program runs code.",
)
@click.option("--name", show_default="machine and process", help="Shown to organisers.")
@options.database
@options.log_format
def worker(
    site: Path, lanes: tuple[str, ...], name: str | None, database: str, log_format: str
) -> None:
    """Do the jobs of a site, until a signal comes; then finish those in hand.

    Several workers can share a site. If one of them crashes, the others do its jobs.
    """
    require_server_extra()
    from quintain.host.serving.logs import set_up_logs
    from quintain.host.serving.opening import require_newest
    from quintain.host.site import Site
    from quintain.host.work.worker import Worker

    opened = Site(site, database=database)
    try:
        require_newest(opened.database)
        set_up_logs(log_format)
        working = Worker(opened, name or f"{socket.gethostname()}-{os.getpid()}", lanes)
        _stop_on_signals(working.stop)
        working.run()
    finally:
        opened.close()


def _stop_on_signals(stop: object) -> None:
    """End after the jobs in hand; at once if a second signal comes."""
    assert callable(stop)

    def stopped(number: int, _frame: FrameType | None) -> None:
        stop()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stopped)
