"""The commands ``extend`` and ``amend``: what organisers change while a contest runs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from quintain.cli import options
from quintain.cli.examples import examples
from quintain.cli.live.published import print_checkpoint, reason


@click.command(
    epilog=examples(
        "quintain extend my-contest attack --until 2026-05-08T12:00Z --why 'the site was down'"
    )
)
@options.folder
@click.argument("phase")
@click.option("--until", required=True, help="When the phase closes now, in UTC.")
@reason
@click.option("--track", show_default="the only one with such a phase", help="Which track.")
def extend(folder: Path, phase: str, until: str, why: str, track: str | None) -> None:
    """Let a phase close later; a phase never becomes shorter.

    A phase that is over is open again, unless its releases were handed over.
    """
    from quintain.figures.format import minute
    from quintain.journal.events import read_time, write_time
    from quintain.runs.folder.folder import Folder
    from quintain.runs.lint import overlapping_rounds, phases_out_of_order
    from quintain.runs.organising.extend import extend as extend_phase

    try:
        moment = datetime.fromisoformat(until)
        write_time(moment)  # the zone may move the first and the last year out of the calendar
    except (ValueError, OverflowError):
        raise click.BadParameter(f"expected a time like 2026-05-01T12:00Z, got {until!r}") from None
    opened = Folder(folder)
    extension = extend_phase(opened, phase, moment, why, track=track)
    event, closes = extension.event, minute(read_time(extension.event.closes))
    before = minute(extension.before)
    click.echo(f"phase {phase} of track {event.track} closes at {closes}, not at {before}")
    edition = opened.edition()
    for finding in (*phases_out_of_order(edition), *overlapping_rounds(edition)):
        click.echo(f"warning: {finding.message}; {finding.cost}", err=True)
    print_checkpoint(opened)


@click.command(
    epilog=examples("quintain amend my-contest my-contest/edition.toml --why 'a limit was missing'")
)
@options.folder
@click.argument("edition", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@reason
def amend(folder: Path, edition: Path, why: str) -> None:
    """Put a new version of the rules in force, from an edition file.

    What data, submissions or a hand-over depend on must stay: such changes are refused, and all of
    them are listed. If a phase was extended, write its new end into the file first. Teams join with
    quintain team add, not with [[team]].
    """
    from quintain.contests import load
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.amend import amend as amend_rules

    opened = Folder(folder)
    amendment = amend_rules(opened, load(edition), why)
    click.echo(f"version {amendment.event.version} of the rules is in force; it changes:")
    for key in amendment.changes:
        click.echo(f"  {key}")
    for one in amendment.other_teams:
        click.echo(f"[[team]] {one} changes nothing: use quintain team", err=True)
    print_checkpoint(opened)
