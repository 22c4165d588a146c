"""New: start an edition folder with a short edition file that includes another edition."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quintain.contests import builtin_names, load
from quintain.contests.plain import toml_value
from quintain.errors import FolderError
from quintain.runs.folder import paths
from quintain.runs.folder.paths import make_root, write


def new_folder(edition: str, folder: Path, changes: Mapping[str, Any]) -> None:
    """Write an edition file that includes another one, and what keeps secrets out of git."""
    if folder.exists() and any(folder.iterdir()):
        raise FolderError(f"{folder} is not empty; start an edition in an empty folder")
    name = folder.resolve().name
    rules = load(edition, overrides={**changes, "id": name})  # refuses a name that is not an id
    include = edition if edition in builtin_names() else str(Path(edition).resolve())
    text = short_edition(include, name, changes, title=rules.title)
    make_root(folder)
    write(folder, paths.EDITION, text.encode())
    write(folder, paths.GITIGNORE, _gitignore_text().encode())
    load(folder / paths.EDITION)


def short_edition(
    include: str, name: str, changes: Mapping[str, Any] = {}, *, title: str = ""
) -> str:
    """The text of an edition file that includes another edition."""
    lines = [
        f"# {title or load(include).title}",
        "# What is written here overrides the included edition. Tables merge; the rest replaces.",
        f"include = {toml_value(include)}",
        f"id = {toml_value(name)}",
        *_assignments(changes, ()),
        "",
        "# A public value that nobody knows yet: mixed into the keys, nobody can choose them.",
        "# [commitment]",
        '# beacon = "the six numbers of the state lottery of 2 May 2026, in the order of the draw"',
        "",
        "# Your teams, for example:",
        "# [[team]]",
        '# id = "red"',
        '# name = "The red team"',
    ]
    return "\n".join(lines) + "\n"


def _gitignore_text() -> str:
    """What must not get into a repository: everything private but the edition file itself."""
    lines = ["# Keys, truths, private data and submissions: never publish them in a repository."]
    lines += [f"/{name}" for name in paths.PRIVATE if name != paths.EDITION]
    return "\n".join(lines) + "\n"


def _assignments(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    out = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            out += _assignments(value, (*path, key))
        else:
            out.append(f"{'.'.join((*path, key))} = {toml_value(value)}")
    return out
