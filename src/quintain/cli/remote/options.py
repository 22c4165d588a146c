"""Options of commands that can work on a site instead of a folder."""

from __future__ import annotations

import click

server = click.option(
    "--server", metavar="URL", help="Work on this site instead of a folder; see quintain login."
)
needed_server = click.option("--server", metavar="URL", required=True, help="The site.")
contest = click.option("--contest", metavar="ID", help="Which contest of the site.")
needed_contest = click.option(
    "--contest", metavar="ID", required=True, help="Which contest of the site."
)
