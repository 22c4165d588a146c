"""Groups of commands: each is imported only when it runs; and examples below a help page."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from quintain.suggestion import suggestion


def examples(*commands: str) -> str:
    """An epilog with one command per line, never wrapped, however narrow the terminal is."""
    head = "Example:" if len(commands) == 1 else "Examples:"
    return "\n".join(["\b", head, *(f"  {command}" for command in commands)])


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports only the one that runs.

    Parameters
    ----------
    modules : the module of each command below ``quintain.cli``, in the order of the help page.
    summaries : what each command does, in one line.
    """

    modules: Mapping[str, str]
    summaries: Mapping[str, str]

    def __init__(
        self, *args: Any, modules: Mapping[str, str], summaries: Mapping[str, str], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.modules, self.summaries = modules, summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their table, not of the alphabet."""
        return list(self.modules)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one, suggest the nearest name."""
        if args[0] not in self.modules and not args[0].startswith("-"):
            ctx.fail(f"unknown command {args[0]!r}{suggestion(args[0], self.modules)}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it; None if the name is unknown."""
        if cmd_name not in self.modules:
            return None
        module = importlib.import_module(f"quintain.cli.{self.modules[cmd_name]}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, one line per command, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summaries[name]) for name in self.modules])


@click.group(
    cls=LazyGroup,
    modules={
        "release": "audit.release",
        "everybody": "audit.everybody",
        "sanitizer": "audit.sanitizer",
        "accounting": "audit.accounting",
        "split": "audit.split",
    },
    summaries={
        "release": "Audit a release: what does it give away about the people in the original?",
        "everybody": "Audit a release about everybody: no control is kept apart.",
        "sanitizer": "Run a sanitizer many times, and see what its releases tell.",
        "accounting": "Add up what the noisy answers of a sanitizer cost, beside its claim.",
        "split": "Split a control off, before the rest is sanitized.",
    },
    epilog=examples(
        "quintain audit split --data people.csv --out parts",
        "quintain audit release --original o.csv --release r.csv --control c.csv",
        "quintain audit everybody mst --data people.csv --release r.csv --set epsilon=1",
    ),
)
def audit() -> None:
    """Find out what a release, or a sanitizer, gives away about people."""


@click.group(
    cls=LazyGroup,
    modules={
        "account": "host.administration",
        "upgrade": "host.administration",
        "backup": "host.administration",
        "restore": "host.administration",
        "share": "host.administration",
        "claim": "host.administration",
        "worker-token": "host.administration",
    },
    summaries={
        "account": "Make accounts, let people set passwords, keep people out.",
        "upgrade": "Bring the database to the version that this program needs.",
        "backup": "Write a whole site into one file, while it runs.",
        "restore": "Make a site from a backup.",
        "share": "Put the files of a site that was on one machine into its store.",
        "claim": "Say that a database belongs to this site, although another one has it.",
        "worker-token": "Let a program worker on another machine in.",
    },
    epilog=examples("quintain host backup my-site backup.zip"),
)
def host() -> None:
    """Run a site: its accounts, its backups and its upgrades."""
    from quintain.cli.host.options import require_server_extra

    require_server_extra()
