"""Write the reference pages that can be read off the code: parts and commands.

python scripts/document.py [FOLDER]
"""

import inspect
import re
import sys
from pathlib import Path

import click
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from quintain import registry
from quintain.cli.main import COMMANDS, cli

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference"


def parts_page() -> str:
    """Every part with its docstring and its parameters."""
    lines = ["# Parts", "", "Everything an edition can name. `quintain parts` lists it, too.", ""]
    for family in registry.families():
        lines += [f"## {family}", ""]
        for part in registry.parts(family):
            story, meanings = split_docstring(part)
            lines += [f"### `{part.id}`", "", story, ""]
            if part.model_fields:
                lines += ["| parameter | default | meaning |", "|---|---|---|"]
                for name, field in part.model_fields.items():
                    lines.append(f"| `{name}` | {default(field)} | {meanings.get(name, '')} |")
                lines.append("")
    return "\n".join(lines)


def split_docstring(part: type[registry.Part]) -> tuple[str, dict[str, str]]:
    """A part's story, and what each parameter means, its base classes' too."""
    meanings: dict[str, str] = {}
    for cls in reversed(part.__mro__):
        text = inspect.cleandoc(cls.__doc__ or "") if issubclass(cls, registry.Part) else ""
        section = re.search(r"^Parameters\n-+\n((?:.+\n?)*)", text, re.MULTILINE)
        for names, meaning in re.findall(
            r"^(\w+(?:, \w+)*) : ((?:.+\n?(?:    .+\n?)*))",
            section[1] if section else "",
            re.MULTILINE,
        ):
            meanings |= dict.fromkeys(names.split(", "), " ".join(meaning.split()))
    story = inspect.cleandoc(part.__doc__ or "")
    story = re.sub(r"^Parameters\n-+\n((?:.+\n?)*)\n?", "", story, flags=re.MULTILINE)
    # A heading inside a part would stand above the part itself in the page's contents.
    story = re.sub(r"^(\w+)\n-{3,}\n", r"**\1.** ", story, flags=re.MULTILINE)
    return story.strip(), meanings


def default(field: FieldInfo) -> str:
    """A parameter's default, for people."""
    if field.default is PydanticUndefined:
        return "required"
    return "-" if field.default is None else f"`{field.default!r}`"


def commands_page() -> str:
    """The help of every command."""
    lines = ["# Commands", ""]
    with click.Context(cli, info_name="quintain") as context:
        for name in COMMANDS:
            command = cli.get_command(context, name)
            assert command is not None
            with click.Context(
                command, parent=context, info_name=name, max_content_width=96
            ) as ctx:
                lines += [f"## quintain {name}", "", "```text", command.get_help(ctx), "```", ""]
    return "\n".join(lines)


def main() -> None:
    """Write both pages."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    (folder / "parts.md").write_text(parts_page())
    (folder / "commands.md").write_text(commands_page())


if __name__ == "__main__":
    main()
