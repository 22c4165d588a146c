"""The command ``host upgrade``: bring the database of a site to this version of the program."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli.examples import examples
from quintain.cli.host import options


@click.command(epilog=examples("quintain host upgrade my-site"))
@options.site
@options.database
def upgrade(site: Path, database: str) -> None:
    """Bring the database to the version that this program needs.

    Make a backup first: there is no way back but that. quintain serve does this, too, when it
    starts. Run it by itself where several processes share one database.
    """
    from quintain.host.serving.opening import bring_up_to_date, open_site, version_of

    opened = open_site(site, database)
    try:
        note = bring_up_to_date(opened.database)
        click.echo(note or f"the database has version {version_of(opened.database)}, the newest")
    finally:
        opened.close()
