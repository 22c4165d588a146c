"""The command ``choose``: a team says which of its submissions count."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli import options
from quintain.cli.examples import examples
from quintain.cli.live.published import print_checkpoint


@click.command(
    epilog=examples(
        "quintain choose my-contest 12 --team red",
        "quintain choose my-contest --last --team red",
    )
)
@options.folder
@click.argument("numbers", nargs=-1, type=click.IntRange(1), metavar="[NUMBER]...")
@options.team
@click.option("--last", is_flag=True, help="Take the choice back: the last submissions count.")
@options.track
@options.kind
def choose(
    folder: Path,
    numbers: tuple[int, ...],
    team: str,
    last: bool,
    track: str | None,
    kind: str | None,
) -> None:
    """Choose which submissions of a team count, as long as their phase is open.

    NUMBER is the number of an event, which is in the receipt of the submission. Without a choice
    the last submissions count. After a choice, a later submission counts only if you choose again.
    Everybody can read the choice.
    """
    from quintain.runs.folder.folder import Folder
    from quintain.runs.submissions.counting import choose as choose_submissions

    if bool(numbers) == last:
        raise click.UsageError("name the submissions that count, or give --last")
    opened = Folder(folder)
    event = choose_submissions(opened, team, numbers, track=track, kind=kind)
    chosen = ", ".join(map(str, event.submissions)) or "its last submissions"
    click.echo(f"team {team}: in phase {event.phase} of track {event.track} count {chosen}")
    print_checkpoint(opened)
