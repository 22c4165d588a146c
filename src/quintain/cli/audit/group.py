"""The group ``audit``; a command of it is imported only when it runs."""

from __future__ import annotations

import importlib

import click

from quintain.cli.examples import examples
from quintain.suggestion import suggestion

AUDITS = {
    "release": "Audit a release: what does it give away about the people in the original?",
    "sanitizer": "Run a sanitizer many times, and see what its releases tell.",
    "split": "Split a control off, before the rest is sanitized.",
}
"""Each command and its summary, in the order of the help page. Its module has its name."""


class LazyAudits(click.Group):
    """A group that knows its commands by name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their table."""
        return list(AUDITS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one, suggest the nearest name."""
        if args[0] not in AUDITS and not args[0].startswith("-"):
            ctx.fail(f"unknown command {args[0]!r}{suggestion(args[0], AUDITS)}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it; None if the name is unknown."""
        if cmd_name not in AUDITS:
            return None
        module = importlib.import_module(f"quintain.cli.audit.{cmd_name}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, one line per command, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(AUDITS.items()))


@click.group(
    cls=LazyAudits,
    epilog=examples(
        "quintain audit split --data people.csv --out parts",
        "quintain audit release --original o.csv --release r.csv --control c.csv",
    ),
)
def audit() -> None:
    """Find out what a release, or a sanitizer, gives away about people."""
