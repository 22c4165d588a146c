"""What the commands of a site share: their options."""

from __future__ import annotations

from pathlib import Path

import click

site = click.argument("site", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
database = click.option(
    "--database",
    metavar="URL",
    default="",
    envvar="QUINTAIN_DATABASE",
    show_default="the settings of the site, or a file in it",
    help="The database, e.g. postgresql+psycopg://user@host/name. Others on this machine can see "
    "the arguments of a command, so give a password in QUINTAIN_DATABASE or in site.toml.",
)
log_format = click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object per line.",
)
