"""What the commands of a running contest print and write alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.errors import FolderError

if TYPE_CHECKING:
    from quintain.contests import Edition
    from quintain.runs.folder.folder import Folder

reason = click.option("--why", required=True, help="The reason; everybody can read it.")


def require_place(target: Path) -> None:
    """Refuse a file in a folder that does not exist, before any work is done."""
    if not target.resolve().parent.is_dir():
        raise FolderError(f"cannot write {target}: the folder {target.parent} does not exist")


def print_checkpoint(folder: Folder) -> None:
    """Say that there is a new checkpoint to publish."""
    from quintain.runs.folder import paths

    click.echo(f"publish {folder.at(paths.CHECKPOINT)}: it changed")


def print_disclosures(edition: Edition) -> None:
    """Say what becomes public of the organisers' own data files, and when."""
    from quintain.runs.disclosure import disclosures

    for sentences in disclosures(edition):
        click.echo(sentences)
