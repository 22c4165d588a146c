"""The commands ``serve`` and ``worker``: a site with its contests, and who does its jobs."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from quintain.cli.groups import examples
from quintain.errors import QuintainError
from quintain_host.commands import options

if TYPE_CHECKING:
    from quintain.programs.choice import Ability
    from quintain_host.site import Site


@click.command(
    epilog=examples(
        "quintain serve my-site",
        "quintain serve my-site --check",
        "quintain serve my-site --port 8080 --no-worker --log-format json",
    )
)
@options.site
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port."
)
@options.database
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many worker processes to start beside the server.",
)
@click.option("--no-worker", is_flag=True, help="Start none: quintain worker runs elsewhere.")
@click.option("--check", is_flag=True, help="Say what is unsafe or wrong, and end.")
@options.log_format
def serve(
    site: Path,
    host: str,
    port: int,
    database: str,
    workers: int,
    no_worker: bool,
    check: bool,
    log_format: str,
) -> None:
    """Host contests on the web: organisers and teams meet in a browser.

    DIR is the folder of the site. The first call makes it, with a database in it. Stop the server
    with Ctrl-C: it finishes what it has begun.
    """
    from quintain_host.serving.logs import set_up_logs
    from quintain_host.serving.opening import bring_up_to_date, open_site, remember_address
    from quintain_host.serving.server import serve_site

    opened = open_site(site, database)
    try:
        if check:
            sys.exit(_check(opened, host))
        note = bring_up_to_date(opened.database)
        if note:
            click.echo(note, err=True)
        _require_sound(opened)
        if port:
            remember_address(opened, host, port)
        _greet(opened, site, host, port)
        set_up_logs(log_format)
        serve_site(opened, host, port, 0 if no_worker else workers, log_format=log_format)
    finally:
        opened.close()


def _require_sound(site: Site) -> None:
    """Refuse the folder of another site; warn of clocks that cannot be right."""
    from quintain_host.claiming import require_own_database
    from quintain_host.serving.checking import clock_faults

    require_own_database(site)
    for fault in clock_faults(site):
        click.echo(f"warning: {fault}", err=True)


def _check(site: Site, host: str) -> int:
    """Print what an operator should change; 1 if there is something."""
    from quintain_host.serving.checking import check_site

    findings = check_site(site, host)
    for finding in findings:
        click.echo(finding)
    click.echo("nothing to change" if not findings else f"{len(findings)} things to change")
    return 1 if findings else 0


def _greet(site: Site, root: Path, host: str, port: int) -> None:
    from quintain_host.serving.opening import has_operator

    click.echo(f"the site is at {site.settings.url}, and listens on http://{host}:{port}", err=True)
    if not has_operator(site):
        command = f"quintain host account add {root} you@example.org --name 'Your Name' --operator"
        click.echo(f"nobody can make a contest yet; in another terminal run: {command}", err=True)


LANES = ("intake", "scoring", "program")


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
        "quintain worker --server https://contests.example.org --token-file token.txt",
    )
)
@click.argument(
    "site", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "--lanes",
    default="intake,scoring",
    show_default=True,
    callback=_lanes,
    help="Kinds of work: intake checks uploads, scoring prepares and scores, program runs code.",
)
@click.option("--name", show_default="machine and process", help="Shown to organisers.")
@options.database
@options.log_format
@click.option("--server", metavar="URL", help="Run programs for a site on another machine.")
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The token of the worker, for --server; or give it in QUINTAIN_WORKER_TOKEN.",
)
@click.option(
    "--trust-programs",
    is_flag=True,
    help="With --server: run programs even if nothing contains them on this machine.",
)
def worker(
    site: Path | None,
    lanes: tuple[str, ...],
    name: str | None,
    database: str,
    log_format: str,
    server: str | None,
    token_file: Path | None,
    trust_programs: bool,
) -> None:
    """Do the jobs of a site, until a signal comes; then finish those in hand.

    Several workers can share a site. If one of them crashes, the others do its jobs. A worker that
    runs programs attacks its own sandbox first; if an attack succeeds, it runs none. With --server
    it needs no access to the site but a token: quintain host worker-token prints one.
    """
    if (site is None) == (server is None):
        raise click.UsageError("give the folder of a site, or --server")
    if server is not None:
        _work_for(server, token_file, trust_programs)
        return
    assert site is not None  # else there is a server
    from quintain_host.serving.logs import set_up_logs
    from quintain_host.serving.opening import require_tables
    from quintain_host.site import Site
    from quintain_host.work.worker import Worker

    opened = Site(site, database=database)
    try:
        require_tables(opened.database)
        _require_sound(opened)
        set_up_logs(log_format)
        chosen = name or f"{socket.gethostname()}-{os.getpid()}"
        here = _ability(opened, chosen) if "program" in lanes else None
        able, why = (here.able, here.why) if here else (False, "")
        working = Worker(opened, chosen, lanes, able=able, why=why)
        _stop_on_signals(working.stop)
        working.run()
    finally:
        opened.close()


def _ability(site: Site, name: str) -> Ability:
    """Test the sandbox of this machine; without one, say so to the site and end."""
    from quintain.programs.choice import ability
    from quintain_host.queue import show_presence

    here = ability(trust=site.settings.trust_programs)
    if not here.able:
        show_presence(site.database, name, ["program"], site.clock.now(), why=here.why)
        raise QuintainError(here.why)
    return here


def _work_for(server: str, token_file: Path | None, trust_programs: bool) -> None:
    from quintain.client.program_worker import ProgramWorker
    from quintain.programs.choice import ability

    token = os.environ.get("QUINTAIN_WORKER_TOKEN", "")
    token = token_file.read_text() if token_file is not None else token
    working = ProgramWorker(server, token, ability(trust=trust_programs))
    _stop_on_signals(working.stop)
    working.run()


def _stop_on_signals(stop: Callable[[], None]) -> None:
    """End after the jobs in hand; at once if a second signal comes."""

    def stop_once(number: int, _frame: FrameType | None) -> None:
        stop()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop_once)
