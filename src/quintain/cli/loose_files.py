"""Commands on loose files, without an edition folder: ``measure`` and ``rank``.

These two are how outsiders check us: their options and their JSON stay as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from quintain.cli import options
from quintain.cli.showing import number

File = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog="Example: quintain measure tiny --original private.csv --release release.csv --json"
)
@click.argument("contest")
@click.option("--original", type=File, help="The private data.")
@click.option("--release", type=File, help="The release made of them.")
@click.option("--test", type=File, help="Further records of the population, where a measure asks.")
@click.option("--truth", type=File, help="The secret answer.")
@click.option("--guess", type=File, help="An attacker's answer.")
@options.track
@options.overrides
@options.as_json
def measure(
    contest: str,
    original: Path | None,
    release: Path | None,
    test: Path | None,
    truth: Path | None,
    guess: Path | None,
    track: str | None,
    changes: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure loose files by the rules of CONTEST, a built-in edition or an edition file.

    With --original and --release, utility; with --truth and --guess, what the attack found out.
    """
    from quintain.commitment import canonical_json
    from quintain.contests import load
    from quintain.runs.loose import measure_files
    from quintain.runs.submissions import choose_track

    chosen = choose_track(load(contest, overrides=changes), track)
    readings = measure_files(
        chosen, original=original, release=release, test=test, truth=truth, guess=guess
    )
    if as_json:
        plain: dict[str, Any] = {name: reading.value for name, reading in readings.items()}
        plain["readings"] = {name: reading.model_dump() for name, reading in readings.items()}
        click.echo(canonical_json(plain).decode(), nl=False)
        return
    for name, reading in readings.items():
        click.echo(f"{name:>24}  {reading}   ({reading.better} is better)")


@click.command(epilog="Example: quintain rank tiny --cells matrix.csv --json")
@options.edition
@click.option("--cells", type=File, required=True, help="Attackers in rows, entries in columns.")
@options.track
@options.overrides
@options.as_json
def rank(
    edition: str, cells: Path, track: str | None, changes: dict[str, Any], as_json: bool
) -> None:
    """Rank a matrix that came from elsewhere by the rules of EDITION.

    The CSV file has entries in its first line and attackers in its first column; a blank cell was
    not attacked. An entry that is called like an attacker belongs to that team.
    """
    from quintain.commitment import canonical_json
    from quintain.contests import load
    from quintain.runs.loose import rank_matrix
    from quintain.runs.submissions import choose_track

    rules = load(edition, overrides=changes)
    boards = rank_matrix(choose_track(rules, track), cells)
    if as_json:
        plain = {
            board.id: [
                {"team": p.team, "rank": p.rank, "score": p.score.value} for p in board.places
            ]
            for board in boards
        }
        click.echo(canonical_json({"edition": rules.id, "boards": plain}).decode(), nl=False)
        return
    for board in boards:
        click.echo(f"{board.title} ({board.unit})")
        for place in board.places:
            shown = "-" if place.rank is None else str(place.rank)
            click.echo(f"{shown:>5}  {place.team:<24} {number(place.score.value)}")
