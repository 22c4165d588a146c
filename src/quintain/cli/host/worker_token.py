"""The command ``host worker-token``: let a program worker on another machine in."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli.examples import examples
from quintain.cli.host import options


@click.command(
    "worker-token",
    epilog=examples(
        "quintain host worker-token my-site sandbox-1 > token.txt",
        "quintain host worker-token my-site sandbox-1 --revoke",
    ),
)
@options.site
@click.argument("name")
@click.option("--revoke", is_flag=True, help="End the token of this worker.")
@options.database
def worker_token(site: Path, name: str, revoke: bool, database: str) -> None:
    """Print a token with which the worker NAME pulls programs to run, and nothing else.

    An earlier token of the same name ends. Give the token to that machine alone: with its second
    half, which is never sent, inputs and results of programs can be read.
    """
    from quintain.host.programs.workers import make_worker_token, revoke_worker_token
    from quintain.host.site import Site

    opened = Site(site, database=database)
    try:
        if revoke:
            ended = revoke_worker_token(opened, name)
            click.echo(f"{ended} tokens of {name} ended", err=True)
        else:
            click.echo(make_worker_token(opened, name))
    finally:
        opened.close()
