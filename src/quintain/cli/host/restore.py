"""The command ``host restore``: a site from its backup."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli.examples import examples
from quintain.cli.host import options


@click.command(
    epilog=examples(
        "quintain host restore backups/2026-05-01.zip my-site",
        "quintain host restore backup.zip my-site --database postgresql+psycopg://q@/quintain",
    )
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options.site
@options.database
def restore(file: Path, site: Path, database: str) -> None:
    """Make a site from a backup.

    DIR must be empty or missing, and so must be the database. It may be of another kind than the
    one that the backup was made of. The whole file is checked before anything is written.
    """
    from quintain.figures.format import count
    from quintain.host.backups import restore as restore_site

    manifest = restore_site(file, site, database)
    rows = sum(part.rows for part in manifest.tables.values())
    click.echo(f"{site}: {count(rows, 'row')} and {count(len(manifest.files), 'file')}")
    click.echo(f"as it was at {manifest.time}; check it: quintain serve {site} --check")
