"""The group ``host``; a command of it is imported only when it runs."""

from __future__ import annotations

import importlib

import click

from quintain.cli.examples import examples
from quintain.cli.host.extra import require_server_extra
from quintain.suggestion import suggestion

HOST = {
    "account": "Make accounts, let people set passwords, keep people out.",
    "upgrade": "Bring the database to the version that this program needs.",
    "backup": "Write a whole site into one file, while it runs.",
    "restore": "Make a site from a backup.",
    "worker-token": "Let a program worker on another machine in.",
}
"""Each command and its summary, in the order of the help page. Its module has its name."""


class LazyHost(click.Group):
    """A group that knows its commands by name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their table."""
        return list(HOST)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one, suggest the nearest name."""
        if args[0] not in HOST and not args[0].startswith("-"):
            ctx.fail(f"unknown command {args[0]!r}{suggestion(args[0], HOST)}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it; None if the name is unknown."""
        if cmd_name not in HOST:
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"quintain.cli.host.{name}")
        command = getattr(module, name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, one line per command, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(HOST.items()))


@click.group(cls=LazyHost, epilog=examples("quintain host backup my-site backup.zip"))
def host() -> None:
    """Run a site: its accounts, its backups and its upgrades."""
    require_server_extra()
