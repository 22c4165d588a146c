"""The command ``play``: a whole contest with the built-in players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options
from quintain.cli.display import (
    print_boards,
    print_failures,
    print_refusals,
    print_strongest,
    progress,
)
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor


@click.command(
    epilog=examples(
        "quintain play tiny",
        "quintain play tiny --quick",
        "quintain play tiny --seed 7 --out run --workers 2",
        "quintain play my-edition.toml",
        "quintain play hide-and-seek --quick --program hider.py --program seeker.zip",
    )
)
@options.edition
@options.seed
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    show_default="the edition's id with -run",
    help="The folder to play into.",
)
@click.option(
    "--program",
    "paths",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A program that takes part, if teams submit programs: a file, a folder or a zip; "
    "may be repeated.",
)
@options.executor
@options.profile
@options.quick
@options.overrides
def play(
    edition: str,
    seed: int | None,
    out: Path | None,
    paths: tuple[Path, ...],
    executor: Executor,
    profile: str | None,
    quick: bool,
    changes: dict[str, Any],
) -> None:
    """Play a whole contest with the built-in baselines as teams.

    EDITION is the name of a built-in edition or the path of an edition file. Run the command again
    to continue a run that was stopped.

    A sanitizer, an attack or a measure that refuses its data does not end the run. The reason is
    printed and stands in the report. The command fails only if no attack could be made at all.
    """
    executor.warm("quintain.runs.play")  # while this process imports the same

    from quintain.contests import load
    from quintain.errors import QuintainError
    from quintain.runs.folder.paths import CELLS, MATRIX, REPORT, STANDINGS
    from quintain.runs.play import play as play_edition
    from quintain.runs.play import read_programs
    from quintain.runs.scores.scores import strongest_attacks

    rules = load(edition, profile=profile, quick=quick, overrides=changes)
    target = out or Path(f"{rules.id}-run")
    programs = read_programs(rules, paths)
    with progress():
        folder = play_edition(rules, target, seed=seed, programs=programs, executor=executor)
    print_boards(folder)
    print_strongest(folder)
    print_failures(folder, public_data=True)
    refused = print_refusals(folder)
    click.echo(f"standings: {folder.at(STANDINGS)}")
    click.echo(f"matrix:    {folder.at(MATRIX)}")
    click.echo(f"           {folder.at(CELLS)}")
    click.echo(f"report:    {folder.at(REPORT).resolve()}")
    if refused and not any(strongest_attacks(folder, track) for track in rules.track):
        raise QuintainError("nothing was played: no attack could be made on any release")
