"""What the two commands share: how they tell a kit from a file, their options, what they write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from quintain.contests import Track

File = click.Path(exists=True, dir_okay=False, path_type=Path)
source = click.argument("source", type=click.Path(exists=True, path_type=Path))
out = click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The folder for files from a kit, or else the file to write; what is there is replaced.",
)
edition = click.option(
    "--edition", help="For a file: the built-in edition or edition file that says what is in it."
)
schema = click.option(
    "--schema",
    type=File,
    show_default="learned from the files",
    help="For a file without --edition: its columns; see quintain schema learn.",
)


def is_kit(source: Path) -> bool:
    """Whether the source is a kit, unpacked or as a zip, rather than a file with data."""
    return source.is_dir() or source.suffix.lower() == ".zip"


def refuse(options: Mapping[str, Any], reason: str) -> None:
    """Raise if any of these options is given; the message names all of them."""
    given = [option for option, value in options.items() if value not in (None, "", (), {})]
    if given:
        raise click.UsageError(f"{', '.join(given)}: only for {reason}")


def track_of(edition: str | None, track: str | None) -> Track | None:
    """The rules for files; the first track of an edition, or the one that is named."""
    if edition is None:
        refuse({"--track": track}, "a kit or an edition: add --edition")
        return None
    from quintain.contests import load
    from quintain.runs.submissions.admission import choose_track

    rules = load(edition)
    return choose_track(rules, track or rules.track[0].id)


def write_file(out: Path, content: bytes) -> None:
    """Write one file, readable for its owner alone."""
    from quintain.jobs import files

    if out.is_dir():
        raise click.UsageError(f"{out} is a folder: name a file with --out")
    files.write_file(out, content)


def write_folder(out: Path, contents: Mapping[str, bytes]) -> None:
    """Write files into a folder."""
    from quintain.jobs import files

    if out.is_file():
        raise click.UsageError(f"{out} is a file: name a folder with --out")
    for name, content in contents.items():
        files.write_file(out / name, content)


def say_what_is_next(
    kit: Path, out: Path, team: str | None, track: str | None, kind: str = ""
) -> None:
    """Print the command that checks what was made from a kit."""
    where = f" --track {track}" if track else ""
    words = " ".join(["--team", team or "YOUR-TEAM", kind]).strip()
    place = kit if kit.is_dir() else "UNPACKED-KIT"
    click.echo(f"next: quintain check {place} {out} {words}{where}")
