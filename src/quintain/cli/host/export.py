"""Export of a hosted contest as an edition folder, for ``quintain export SITE folder``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from quintain.cli.host.extra import require_server_extra


def export_hosted(site: Path, edition: str | None, target: Path) -> None:
    """Write the folder of a contest on a site, and say what can be done with it."""
    require_server_extra()
    from quintain.host.editions.export_folder import export_folder
    from quintain.host.site import Site

    if edition is None:
        raise click.UsageError("which contest of the site? add --edition ID")
    opened = Site(site, database=os.environ.get("QUINTAIN_DATABASE", ""))
    try:
        export_folder(opened, edition, target)
    finally:
        opened.close()
    click.echo(f"{target}: the whole contest, with every secret, as the command line has it")
    click.echo(f"check it: quintain verify {target}")
