"""The command ``host``: what an operator does with a site beside serving it."""

from __future__ import annotations

import click

from quintain.cli.groups import LazyGroup, examples


@click.group(
    cls=LazyGroup,
    package="quintain_host.commands",
    modules={
        "account": "administration",
        "upgrade": "administration",
        "backup": "administration",
        "restore": "administration",
        "export": "administration",
        "share": "administration",
        "claim": "administration",
        "worker-token": "administration",
    },
    summaries={
        "account": "Make accounts, let people set passwords, keep people out.",
        "upgrade": "Bring the database to the version that this program needs.",
        "backup": "Write a whole site into one file, while it runs.",
        "restore": "Make a site from a backup.",
        "export": "Write the edition folder of a contest, with every secret.",
        "share": "Put the files of a site that was on one machine into its store.",
        "claim": "Say that a database belongs to this site, although another one has it.",
        "worker-token": "Let a program worker on another machine in.",
    },
    epilog=examples("quintain host backup my-site backup.zip"),
)
def host() -> None:
    """Run a site: its accounts, its backups and its upgrades."""
