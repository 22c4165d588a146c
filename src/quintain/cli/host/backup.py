"""The command ``host backup``: a whole site in one file."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli.examples import examples
from quintain.cli.host import options


@click.command(epilog=examples("quintain host backup my-site backups/2026-05-01.zip"))
@options.site
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@options.database
def backup(site: Path, file: Path, database: str) -> None:
    """Write a whole site into one file, while it runs.

    The file has every row of the database and every file, with their hashes. It has all secrets of
    all contests, too: only you can read it, and it must stay so.
    """
    from quintain.figures.format import count
    from quintain.host.backups import back_up
    from quintain.host.site import Site

    opened = Site(site, database=database)
    try:
        manifest = back_up(opened, file)
    finally:
        opened.close()
    rows = sum(part.rows for part in manifest.tables.values())
    click.echo(f"{file}: {count(rows, 'row')} and {count(len(manifest.files), 'file')}")
