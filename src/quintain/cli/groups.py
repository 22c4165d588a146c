"""Groups of commands: each is imported only when it runs; and examples below a help page."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from quintain.errors import MissingDistribution
from quintain.wording.suggestion import suggestion


def examples(*commands: str) -> str:
    """An epilog with one command per line, never wrapped, however narrow the terminal is."""
    head = "Example:" if len(commands) == 1 else "Examples:"
    return "\n".join(["\b", head, *(f"  {command}" for command in commands)])


ENTRY_POINTS = "quintain.commands"
"""The entry points through which another distribution brings the commands that are kept for it."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports only the one that runs.

    Parameters
    ----------
    modules : the module of each command below ``package``, in the order of the help page.
    summaries : what each command does, in one line.
    elsewhere : commands that another distribution brings, and its name. They are listed last.
    """

    def __init__(
        self,
        *args: Any,
        modules: Mapping[str, str],
        summaries: Mapping[str, str],
        package: str = "quintain.cli",
        elsewhere: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._modules, self._summaries, self._package = modules, summaries, package
        self._elsewhere = elsewhere or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their table, not of the alphabet."""
        return [*self._modules, *self._elsewhere]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one, suggest the nearest name."""
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            ctx.fail(f"unknown command {args[0]!r}{suggestion(args[0], names)}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it; None if the name is unknown."""
        if cmd_name in self._elsewhere:
            return _from_elsewhere(cmd_name, self._elsewhere[cmd_name])
        if cmd_name not in self._modules:
            return None
        module = importlib.import_module(f"{self._package}.{self._modules[cmd_name]}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, one line per command, without importing them."""
        names = self.list_commands(ctx)
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._summaries[name]) for name in names])


def _from_elsewhere(name: str, distribution: str) -> click.Command:
    """The command of another distribution; without it, one that says what to install."""
    from importlib.metadata import entry_points  # it reads what is installed, which takes long

    for entry in entry_points(group=ENTRY_POINTS, name=name):
        # No plugin can put a command of its own in this place.
        if entry.dist is not None and entry.dist.name == distribution:
            command = entry.load()
            assert isinstance(command, click.Command)
            return command
    return _command_to_install(name, distribution)


def _command_to_install(name: str, distribution: str) -> click.Command:
    """A command that refuses, whatever follows it on the line: what it needs is not installed."""

    def refuse() -> None:
        raise MissingDistribution(f"quintain {name}", distribution)

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=refuse, context_settings=anything, add_help_option=False)


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
