"""Reference: the pages of all parts and of all commands, which the site makes from the code."""

import re

import click

from quintain import registry
from quintain.attacks import Attack
from quintain.attacks.threat import FACTS
from quintain.cli.main import cli
from quintain.cli.part_card import parameters, split_docstring


def parts_page() -> str:
    """The page of all parts, with their docstrings and parameters."""
    lines = ["# Parts", "", "Everything an edition can name. `quintain parts` lists it, too.", ""]
    for family in registry.families():
        lines += [f"## {family}", ""]
        for part in registry.parts(family):
            story, _ = split_docstring(part)
            # A heading inside a part would stand above the part itself in the page's contents.
            flat = re.sub(r"^(\w+)\n-{3,}\n", r"**\1.** ", story, flags=re.MULTILINE)
            # Markdown takes the prompt of an example for a quotation.
            flat = re.sub(r"^>>> (?:.+\n?)+", _fenced, flat, flags=re.MULTILINE)
            lines += [f"### `{part.id}`", "", flat, "", *_given(part)]
            if part.model_fields:
                lines += ["| parameter | takes | default | meaning |", "|---|---|---|---|"]
                for one in parameters(part):
                    default = one.default.removeprefix("default ")
                    shown = f"`{default}`" if default != one.default else default
                    takes, meaning = (text.replace("|", "\\|") for text in (one.kind, one.meaning))
                    lines.append(f"| `{one.name}` | {takes} | {shown} | {meaning} |")
                lines.append("")
    return "\n".join(lines)


def _given(part: type[registry.Part]) -> list[str]:
    """What an attacker must have to run an attack; nothing for other parts."""
    if not issubclass(part, Attack):
        return []
    facts = [words for fact, words in FACTS.items() if fact in part.needs]
    more = f", and {', and '.join(facts)}" if facts else ""
    return [f"**Given.** The release and the question{more}.", ""]


def _fenced(example: re.Match[str]) -> str:
    return f"```pycon\n{example[0].rstrip()}\n```\n"


def commands_page() -> str:
    """The page of all commands, with their help texts."""
    lines = ["# Commands", ""]
    with click.Context(cli, info_name="quintain") as context:
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            assert command is not None
            lines += _command(command, context, name, "##")
    return "\n".join(lines)


def _command(command: click.Command, parent: click.Context, name: str, level: str) -> list[str]:
    """The help of a command, then that of the commands in it."""
    with click.Context(command, parent=parent, info_name=name, max_content_width=96) as ctx:
        lines = [f"{level} {ctx.command_path}", "", "```text", command.get_help(ctx), "```", ""]
        if isinstance(command, click.Group):
            for inner in command.list_commands(ctx):
                known = command.get_command(ctx, inner)
                assert known is not None
                lines += _command(known, ctx, inner, f"{level}#")
    return lines


PAGES = {"reference/parts.md": parts_page, "reference/commands.md": commands_page}
"""Pages that a checkout has as a few lines only, and how the site's are made."""
