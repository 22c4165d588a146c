"""Outputs: the files that a command writes. None of them replaces anything unless somebody asks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

NUMBERS, REPORT = "audit.json", "report.html"
"""Files of an audit, in a folder: the numbers as JSON and the report as one HTML file."""
_REPLACE = "quintain.replace"

replace = click.option(
    "--replace",
    is_flag=True,
    is_eager=True,  # the options with files ask for it
    expose_value=False,
    callback=lambda context, _parameter, given: context.meta.update({_REPLACE: given}),
    help="Replace files that are there already.",
)


class NewFile(click.Path):
    """The path of a file to write; it must not be there, unless --replace is given."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a refusal before any work is done."""
        path = Path(str(super().convert(value, param, ctx)))
        require_free(path)
        return path


class NewFolder(click.Path):
    """The path of a folder to write into; files that it gets must not be there without --replace.

    Parameters
    ----------
    names : the files that it gets beside others, if work goes on there; else it must be empty.
    """

    def __init__(self, *names: str) -> None:
        super().__init__(file_okay=False, path_type=Path)
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a refusal before any work is done."""
        folder = Path(str(super().convert(value, param, ctx)))
        for name in self._names:
            require_free(folder / name)
        if not self._names and folder.is_dir() and any(folder.iterdir()) and not may_replace():
            message = "is not empty: name a new folder, or replace files in it with --replace"
            raise click.UsageError(f"{folder} {message}")
        return folder


class NewPlace(click.Path):
    """The path of a file to write, or of a folder; no file may be there, unless --replace is given.

    What is written into a folder is looked for when its names are known: see :func:`write_folder`.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a refusal before any work is done."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.is_dir():
            require_free(path)
        return path


def may_replace() -> bool:
    """Whether somebody asked to replace files."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_REPLACE))


def require_free(path: Path) -> None:
    """Raise if something is there, and nobody asked to replace it."""
    if os.path.lexists(path) and not may_replace():
        message = "is there already: name another place, or replace it with --replace"
        raise click.UsageError(f"{path} {message}")


def write_file(path: Path, content: bytes, *, public: bool = False) -> None:
    """Write a file, readable for its owner alone unless it is public."""
    from quintain.jobs import files

    if path.is_dir():
        raise click.UsageError(f"{path} is a folder: name a file")
    require_free(path)
    files.write_file(path, content, public=public)


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files into a folder; none of them if one is there."""
    from quintain.jobs import files

    if folder.is_file():
        raise click.UsageError(f"{folder} is a file: name a folder")
    for name in contents:
        require_free(folder / name)
    for name, content in contents.items():
        files.write_file(folder / name, content)
