"""The command ``serve``: a site with its contests, on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli.examples import examples
from quintain.cli.host import options
from quintain.cli.host.extra import require_server_extra

if TYPE_CHECKING:
    from quintain.host.site import Site


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
    require_server_extra()
    from quintain.host.serving.logs import set_up_logs
    from quintain.host.serving.opening import bring_up_to_date, open_site
    from quintain.host.serving.server import serve_site

    opened = open_site(site, database)
    try:
        if check:
            sys.exit(_check(opened, host))
        note = bring_up_to_date(opened.database)
        if note:
            click.echo(note, err=True)
        _greet(opened, site, host, port)
        set_up_logs(log_format)
        serve_site(opened, host, port, 0 if no_worker else workers, log_format=log_format)
    finally:
        opened.close()


def _check(site: Site, host: str) -> int:
    """Print what an operator should change; 1 if there is something."""
    from quintain.host.serving.checking import check_site

    findings = check_site(site, host)
    for finding in findings:
        click.echo(finding)
    click.echo("nothing to change" if not findings else f"{len(findings)} things to change")
    return 1 if findings else 0


def _greet(site: Site, root: Path, host: str, port: int) -> None:
    from quintain.host.serving.opening import has_operator

    click.echo(f"the site is at {site.settings.url}, and listens on http://{host}:{port}", err=True)
    if not has_operator(site):
        command = f"quintain host account add {root} you@example.org --name 'Your Name' --operator"
        click.echo(f"nobody can make a contest yet; in another terminal run: {command}", err=True)
