"""Commands on files outside an edition folder: ``measure`` and ``rank``.

Other people check results with these two, so their options and their JSON do not change.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options
from quintain.cli.display import print_table
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.rankings import Board

File = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog=examples("quintain measure tiny --original private.csv --release release.csv --json")
)
@click.argument("contest")
@click.option("--original", type=File, help="The private data.")
@click.option("--release", type=File, help="The release of these data.")
@click.option(
    "--test", type=File, help="Further records of the population, if a measure needs them."
)
@click.option("--truth", type=File, help="The secret answer.")
@click.option("--guess", type=File, help="An attacker's answer.")
@click.option("--goal", help="The goal of --truth and --guess, if the track has several.")
@options.first_track
@options.profile
@options.overrides
@options.as_json
def measure(
    contest: str,
    original: Path | None,
    release: Path | None,
    test: Path | None,
    truth: Path | None,
    guess: Path | None,
    goal: str | None,
    track: str | None,
    profile: str | None,
    changes: dict[str, Any],
    as_json: bool,
) -> None:
    """Measure single files by the rules of CONTEST, a built-in edition or an edition file.

    --original and --release give utility; --truth and --guess give what the attack found out.
    """
    from quintain.jobs.subprocess_reader import READERS

    READERS.start()  # it gets ready while this process loads the rules
    from quintain.commitment import canonical_json
    from quintain.contests import load
    from quintain.runs.standalone.measuring import measure_files
    from quintain.runs.submissions.admission import choose_track

    rules = load(contest, profile=profile, overrides=changes)
    chosen = choose_track(rules, track or rules.track[0].id)
    readings = measure_files(
        chosen, original=original, release=release, test=test, truth=truth, guess=guess, goal=goal
    )
    if as_json:
        plain: dict[str, Any] = {name: reading.value for name, reading in readings.items()}
        plain["readings"] = {name: reading.model_dump() for name, reading in readings.items()}
        click.echo(canonical_json(plain).decode(), nl=False)
        return
    whom = " for the people in the data" if guess and not release else ""
    for name, reading in readings.items():
        click.echo(f"{name:>24}  {reading}   ({reading.better} is better{whom})")


@click.command(
    epilog=examples(
        "quintain rank tiny --cells matrix.csv --json",
        "quintain rank amic --track main --cells final.csv --given pre/anonymizers=first.csv",
        "quintain rank mine.toml --utility readings.csv",
    )
)
@options.edition
@click.option("--cells", type=File, help="Attackers in rows, entries in columns.")
@click.option(
    "--reading",
    multiple=True,
    metavar="READING=FILE",
    help="Cells of a further reading, such as attr.accuracy=FILE, where --cells has the first.",
)
@click.option("--utility", type=File, help="Readings of the releases, one line per entry.")
@click.option(
    "--finds",
    type=File,
    help="Who found what: a CSV file with attacker, entry and record, and the goal before the "
    "record if there are several.",
)
@click.option(
    "--of",
    type=click.FloatRange(0, min_open=True),
    metavar="NUMBER",
    show_default="1, or 100 for percentages",
    help="The total behind each cell, e.g. --of 10000 for counts of 10,000 records.",
)
@click.option(
    "--given",
    multiple=True,
    metavar="TRACK/BOARD=FILE",
    help="A board of another round: a CSV file with a team and its score on each line.",
)
@click.option(
    "--aside", multiple=True, help="A team that takes part without competing; may be repeated."
)
@options.first_track
@options.profile
@options.overrides
@options.as_json
def rank(
    edition: str,
    cells: Path | None,
    reading: tuple[str, ...],
    utility: Path | None,
    finds: Path | None,
    of: float | None,
    given: tuple[str, ...],
    aside: tuple[str, ...],
    track: str | None,
    profile: str | None,
    changes: dict[str, Any],
    as_json: bool,
) -> None:
    """Rank a matrix that was measured elsewhere by the rules of EDITION.

    The CSV file has entries in its first line and attackers in its first column; a blank cell was
    not attacked. An entry with the name of an attacker belongs to that team. Cells above the
    highest possible reading, up to 100 times as high, are percentages; any other impossible cell
    is refused. Without --cells, each line of --utility is the release of a team.
    """
    if cells is None and utility is None and not reading:
        raise click.UsageError("give --cells, --utility or both")
    from quintain.jobs.subprocess_reader import READERS

    READERS.start()  # it gets ready while this process loads the rules
    from quintain.commitment import canonical_json
    from quintain.contests import load
    from quintain.runs.standalone.matrix import rank_matrix
    from quintain.runs.submissions.admission import choose_track

    rules = load(edition, profile=profile, overrides=changes)
    chosen = choose_track(rules, track or rules.track[0].id)
    ranked = rank_matrix(
        rules,
        chosen,
        cells,
        readings=dict(_pair(text, "READING=FILE") for text in reading),
        utility=utility,
        finds=finds,
        given=dict(_pair(text, "TRACK/BOARD=FILE") for text in given),
        aside=aside,
        of=of,
    )
    if ranked.percent:
        click.echo("the cells are read as percentages; if they are counts, add --of", err=True)
    if as_json:
        plain = {
            "edition": rules.id,
            "track": chosen.id,
            "boards": {board.id: _plain(board) for board in ranked.boards},
            "overall": {board.id: _plain(board) for board in ranked.overall},
            "awards": {prize.title: list(prize.winners) for prize in ranked.awards},
        }
        click.echo(canonical_json(plain).decode(), nl=False)
        return
    for board in (*ranked.boards, *ranked.overall):
        print_table(board.title, board.model_dump())
    for prize in ranked.awards:
        click.echo(f"{prize.title}: {', '.join(prize.winners) or 'nobody'}")


def _pair(text: str, form: str) -> tuple[str, Path]:
    name, equals, file = text.partition("=")
    if not equals or not Path(file).is_file():
        raise click.BadParameter(f"expected {form} with an existing file, got {text!r}")
    return name, Path(file)


def _plain(board: Board) -> list[dict[str, Any]]:
    return [
        {"team": place.team, "rank": place.rank, "score": place.score.value}
        | ({} if place.p is None else {"p": place.p})
        for place in board.places
    ]
