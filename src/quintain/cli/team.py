"""The commands ``team add``, ``limit``, ``list``, ``disqualify`` and ``reinstate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options, outputs
from quintain.cli.display import print_columns, progress
from quintain.cli.groups import examples
from quintain.cli.live import print_checkpoint, reason, require_place

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor
    from quintain.runs.organising.decide import Decision

_team = click.argument("team")
_track = click.option(
    "--track", help="The track of the release, if the decision is about one release."
)
_entry = click.option(
    "--entry", show_default="the only one", help="One release of the team instead of the team."
)
_limit = click.IntRange(1)


@click.group(epilog=examples("quintain team list my-contest"))
def team() -> None:
    """Add teams to a running contest, list them, limit, disqualify or reinstate them."""


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
@click.option("--kit", type=outputs.NewFile(), help="Write the team's kit there.")
@outputs.replace
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
    from quintain.kit.kit import kit_bytes
    from quintain.runs.folder.folder import Folder
    from quintain.runs.lint import refuse_rehearsal
    from quintain.runs.organising.join import Joining, join

    opened = Folder(folder)
    if kit is not None:
        opened.require_secrets()
        refuse_rehearsal(opened)
        require_place(kit)
    limits = Quota(per_day, total, per_file)
    with progress():
        join(opened, [Joining(team, name, not not_competing, limits)], executor=executor)
    click.echo(f"team {team} takes part")
    if kit is not None:
        outputs.write_file(kit, kit_bytes(opened, team))
        click.echo(f"{kit}: the kit of team {team}; give it to nobody else")
    print_checkpoint(opened)


@team.command(
    "limit",
    epilog=examples("quintain team limit my-contest green --total 25 --why 'its site was down'"),
)
@options.folder
@_team
@reason
@click.option("--per-day", type=_limit, help="Its own limit of submissions per day.")
@click.option("--total", type=_limit, help="Its own limit of submissions per phase.")
@click.option("--per-file", type=_limit, help="Its own limit of attempts per task.")
def limit(
    folder: Path,
    team: str,
    why: str,
    per_day: int | None,
    total: int | None,
    per_file: int | None,
) -> None:
    """Give a team other limits; they replace all limits of its own.

    Without any option, the limits of the phases apply to the team again.
    """
    from quintain.contests.roster import Quota
    from quintain.contests.words import quota_words
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.amend import limit as limit_team

    opened = Folder(folder)
    event = limit_team(opened, team, Quota(per_day, total, per_file), why)
    shown = quota_words(event.limits) or "those of the phases"
    click.echo(f"the limits of team {team} are now: {shown}")
    print_checkpoint(opened)


@team.command("list", epilog=examples("quintain team list my-contest"))
@options.folder
def list_teams(folder: Path) -> None:
    """List the teams with their limits, submissions and status."""
    from quintain.runs.folder import paths
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.join import team_rows
    from quintain.runs.submissions.counting import submissions

    opened = Folder(folder)
    opened.require_prepared()
    rows = team_rows(opened.state(), submissions(opened))
    if not rows:
        click.echo("no team takes part yet; teams join with quintain prepare or quintain team add")
        return
    in_kit = not opened.at(paths.JOURNAL).is_file()  # a kit does not know the submissions
    columns = {
        "team": [row.id for row in rows],
        "name": [row.name for row in rows],
        "competing": ["yes" if row.competing else "no" for row in rows],
        "joined": [row.joined for row in rows],
        "own limits": [row.limits for row in rows],
        "submissions": ["" if in_kit else str(row.submissions) for row in rows],
        "status": [row.status for row in rows],
    }
    shown = {head: cells for head, cells in columns.items() if any(cells) or head == "team"}
    print_columns("Teams", shown, caption=None)


@team.command(
    "disqualify",
    short_help="Disqualify a team, or one of its releases.",
    epilog=examples(
        "quintain team disqualify my-contest red --why 'two teams are one'",
        "quintain team disqualify my-contest red --track pre --why 'its rows are copies'",
    ),
)
@options.folder
@_team
@reason
@_track
@_entry
def disqualify(folder: Path, team: str, why: str, track: str | None, entry: str | None) -> None:
    """Disqualify a team, or one of its releases; what it did stays visible.

    A disqualified team cannot submit and gets no rank. A disqualified release counts for nobody.
    """
    _decide(folder, "disqualified", team, why, track, entry)


@team.command(
    "reinstate",
    short_help="Take a disqualification back.",
    epilog=examples("quintain team reinstate my-contest red --why 'they could explain it'"),
)
@options.folder
@_team
@reason
@_track
@_entry
def reinstate(folder: Path, team: str, why: str, track: str | None, entry: str | None) -> None:
    """Take a disqualification back; everything counts again as if it had not been."""
    _decide(folder, "reinstated", team, why, track, entry)


def _decide(
    folder: Path, decision: Decision, team: str, why: str, track: str | None, entry: str | None
) -> None:
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.decide import Subject, decide, missing_releases

    opened = Folder(folder)
    event = decide(opened, decision, Subject(team, track, entry), why)
    click.echo(f"{Subject(event.team, event.track, event.entry)} is {decision}: {event.reason}")
    for missing in missing_releases(opened, team) if decision == "reinstated" else ():
        click.echo(f"warning: no attacker got {missing}, so it cannot be ranked", err=True)
    click.echo(f"run quintain score {folder} for the new standings")
    print_checkpoint(opened)
