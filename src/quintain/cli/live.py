"""Commands while a contest runs: teams join, phases are extended, rules change, the end."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options
from quintain.cli.display import print_columns, progress
from quintain.cli.examples import examples
from quintain.errors import FolderError

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.decide import Decision

_why = click.option("--why", required=True, help="The reason; everybody can read it.")
_team = click.argument("team")
_entry = click.option(
    "--entry", show_default="the only one", help="One release of the team instead of the team."
)
_limit = click.IntRange(1)


@click.group(epilog=examples("quintain team list my-contest"))
def team() -> None:
    """Add teams to a running contest, list them, disqualify or reinstate them."""


@team.command(
    "add",
    epilog=examples(
        "quintain team add my-contest green --name 'The green team'",
        "quintain team add my-contest green --kit green.zip",
    ),
)
@options.folder
@_team
@click.option("--name", default="", help="The name in tables and reports.")
@click.option("--not-competing", is_flag=True, help="The team takes part without a rank.")
@click.option("--per-day", type=_limit, help="Its own limit of submissions per day.")
@click.option("--total", type=_limit, help="Its own limit of submissions per phase.")
@click.option("--per-file", type=_limit, help="Its own limit of attempts per task.")
@click.option(
    "--kit", type=click.Path(dir_okay=False, path_type=Path), help="Write the team's kit there."
)
@options.executor
def add(
    folder: Path,
    team: str,
    name: str,
    not_competing: bool,
    per_day: int | None,
    total: int | None,
    per_file: int | None,
    kit: Path | None,
    executor: Executor,
) -> None:
    """Let a team join, also while the contest runs.

    The team gets private samples of its own in every round that is prepared, and the organisers
    commit to them before the team sees them.
    """
    from quintain.contests.roster import Quota
    from quintain.jobs.files import write_file
    from quintain.kit.kit import kit_bytes
    from quintain.runs.folder.folder import Folder
    from quintain.runs.launch import refuse_rehearsal
    from quintain.runs.organising.join import Joining, join

    opened = Folder(folder)
    if kit is not None:
        opened.require_secrets()
        refuse_rehearsal(opened)
        _require_place(kit)
    limits = Quota(per_day, total, per_file)
    with progress():
        join(opened, [Joining(team, name, not not_competing, limits)], executor=executor)
    click.echo(f"team {team} takes part")
    if kit is not None:
        write_file(kit, kit_bytes(opened, team))
        click.echo(f"{kit}: the kit of team {team}; give it to nobody else")
    _print_checkpoint(opened)


@team.command("list", epilog=examples("quintain team list my-contest"))
@options.folder
def list_teams(folder: Path) -> None:
    """List the teams with their limits, submissions and status."""
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.teams import team_rows
    from quintain.runs.submissions.submitted import submissions

    opened = Folder(folder)
    opened.require_prepared()
    rows = team_rows(opened.state(), submissions(opened))
    columns = {
        "team": [row.id for row in rows],
        "name": [row.name for row in rows],
        "competing": ["yes" if row.competing else "no" for row in rows],
        "joined": [row.joined for row in rows],
        "own limits": [row.limits for row in rows],
        "submissions": [str(row.submissions) for row in rows],
        "status": [row.status for row in rows],
    }
    shown = {head: cells for head, cells in columns.items() if any(cells) or head == "team"}
    print_columns("Teams", shown, caption=None)


@team.command(
    "disqualify",
    epilog=examples(
        "quintain team disqualify my-contest red --why 'two teams are one'",
        "quintain team disqualify my-contest red --track pre --why 'its rows are copies'",
    ),
)
@options.folder
@_team
@_why
@click.option("--track", help="The track of the release, if the decision is about one release.")
@_entry
def disqualify(folder: Path, team: str, why: str, track: str | None, entry: str | None) -> None:
    """Disqualify a team, or one of its releases; what it did stays visible.

    A disqualified team cannot submit and gets no rank. A disqualified release counts for nobody.
    """
    _decide(folder, "disqualified", team, why, track, entry)


@team.command(
    "reinstate",
    epilog=examples("quintain team reinstate my-contest red --why 'they could explain it'"),
)
@options.folder
@_team
@_why
@click.option("--track", help="The track of the release, if the decision is about one release.")
@_entry
def reinstate(folder: Path, team: str, why: str, track: str | None, entry: str | None) -> None:
    """Take a disqualification back; everything counts again as if it had not been."""
    _decide(folder, "reinstated", team, why, track, entry)


def _decide(
    folder: Path, decision: Decision, team: str, why: str, track: str | None, entry: str | None
) -> None:
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.decide import Subject, decide

    opened = Folder(folder)
    event = decide(opened, decision, Subject(team, track, entry), why)
    click.echo(f"{Subject(event.team, event.track, event.entry)} is {decision}: {event.reason}")
    click.echo(f"run quintain score {folder} for the new standings")
    _print_checkpoint(opened)


@click.command(
    epilog=examples(
        "quintain extend my-contest attack --until 2026-05-08T12:00Z --why 'the site was down'"
    )
)
@options.folder
@click.argument("phase")
@click.option("--until", required=True, help="When the phase closes now, in UTC.")
@_why
@click.option("--track", show_default="the only one with such a phase", help="Which track.")
def extend(folder: Path, phase: str, until: str, why: str, track: str | None) -> None:
    """Let a phase close later; a phase never becomes shorter.

    A phase that is over is open again, unless its releases were handed over.
    """
    from quintain.journal.events import write_time
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.extend import extend as extend_phase

    try:
        moment = datetime.fromisoformat(until)
    except ValueError:
        raise click.BadParameter(f"expected a time like 2026-05-01T12:00Z, got {until!r}") from None
    opened = Folder(folder)
    extension = extend_phase(opened, phase, moment, why, track=track)
    before, event = write_time(extension.before), extension.event
    click.echo(f"phase {phase} of track {event.track} closes at {event.closes}, not at {before}")
    _print_checkpoint(opened)


@click.command(
    epilog=examples("quintain amend my-contest my-contest/edition.toml --why 'a limit was missing'")
)
@options.folder
@click.argument("edition", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_why
def amend(folder: Path, edition: Path, why: str) -> None:
    """Put a new version of the rules in force, from an edition file.

    What data, submissions or a hand-over depend on cannot change; everything that does is listed.
    Teams join with quintain team add, not with [[team]].
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
    _print_checkpoint(opened)


@click.command(epilog=examples("quintain freeze my-contest"))
@options.folder
@click.option("--why", default="", help="The reason, if a phase is still open.")
@options.executor
@options.trust_programs
def freeze(folder: Path, why: str, executor: Executor, trust_programs: bool) -> None:
    """End the contest: no submission, decision or new rule is accepted any more."""
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.freeze import freeze as freeze_contest

    opened = Folder(folder)
    with progress():
        event = freeze_contest(opened, why, executor=executor, trust_programs=trust_programs)
    click.echo(f"the contest is over since {event.time}")
    _print_checkpoint(opened)


@click.command(epilog=examples("quintain reveal my-contest revealed.zip"))
@options.folder
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@options.executor
@options.trust_programs
def reveal(folder: Path, target: Path, executor: Executor, trust_programs: bool) -> None:
    """Score for the last time, and write the archive with every secret for everybody.

    All phases must be over, or the contest frozen. Only the signing key stays secret.
    """
    from quintain.jobs.files import write_file
    from quintain.kit.archive import archive_bytes
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.reveal import reveal as reveal_contest

    opened = Folder(folder)
    _require_place(target)
    with progress():
        reveal_contest(opened, executor=executor, trust_programs=trust_programs)
    content = archive_bytes(opened)
    write_file(target, content, public=True)
    click.echo(f"{target}: {len(content)} bytes; publish it, and anybody can verify the contest:")
    click.echo(f"  quintain verify {target.name}")
    _print_checkpoint(opened)


def _require_place(target: Path) -> None:
    if not target.resolve().parent.is_dir():
        raise FolderError(f"cannot write {target}: the folder {target.parent} does not exist")


def _print_checkpoint(folder: Folder) -> None:
    from quintain.runs.folder import paths

    click.echo(f"publish {folder.at(paths.CHECKPOINT)}: it changed")
