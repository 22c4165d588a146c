"""What the commands of a site share: their options, and the extra that they need."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from quintain.errors import MissingExtra

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


_PACKAGES = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "argon2", "prometheus_client")


def require_server_extra() -> None:
    """Raise with the command that installs what a site needs, if it is not installed."""
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtra("a site", package, "server")
