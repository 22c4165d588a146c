"""The command ``kit``: download what a team gets."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli.examples import examples
from quintain.cli.remote import options


@click.command(
    epilog=examples("quintain kit --server https://contests.example.org --contest amic kit.zip")
)
@options.needed_server
@options.needed_contest
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
def kit(server: str, contest: str, target: Path) -> None:
    """Download the kit of your team: rules, tasks and your own data, in one zip.

    Unpacked, it is a folder for quintain check, attack and sanitize.
    """
    from quintain.client.connection import Connection
    from quintain.client.contest import RemoteContest
    from quintain.client.tokens import token_for
    from quintain.jobs.files import write_file

    with Connection(server, token_for(server)) as connection:
        content = RemoteContest(connection, contest).kit()
    write_file(target, content)
    click.echo(f"{target}: {len(content)} bytes")
