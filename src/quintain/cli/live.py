"""Commands for a contest that runs: its changes, whole rounds, its journal and its end."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options, outputs
from quintain.cli.display import progress
from quintain.cli.groups import examples
from quintain.errors import FolderError, SubmissionError

if TYPE_CHECKING:
    from quintain.contests import Edition
    from quintain.jobs.executor import Executor
    from quintain.programs.choice import Containment
    from quintain.runs.folder.folder import Folder


reason = click.option("--why", required=True, help="The reason; everybody can read it.")


def require_place(target: Path) -> None:
    """Refuse a place where no zip can be written, before any work is done."""
    if not target.resolve().parent.is_dir():
        raise FolderError(f"cannot write {target}: the folder {target.parent} does not exist")


def print_checkpoint(folder: Folder) -> None:
    """Say that there is a new checkpoint to publish."""
    from quintain.runs.folder import paths

    click.echo(f"publish {folder.at(paths.CHECKPOINT)}: it changed")


def print_disclosures(edition: Edition) -> None:
    """Say what becomes public of the organisers' own data files, and when."""
    from quintain.runs.folder.organiser_data import disclosures

    for sentences in disclosures(edition):
        click.echo(sentences)


@click.command(
    epilog=examples(
        "quintain extend my-contest attack --until 2026-05-08T12:00Z --why 'the site was down'",
        "quintain extend my-contest attack --team red --until 2026-05-08T12:00Z --why 'it was ill'",
    )
)
@options.folder
@click.argument("phase")
@click.option("--until", required=True, help="When the phase closes now, in UTC.")
@reason
@click.option("--track", show_default="the only one with such a phase", help="Which track.")
@click.option("--team", show_default="every team", help="For which team alone.")
def extend(
    folder: Path, phase: str, until: str, why: str, track: str | None, team: str | None
) -> None:
    """Let a phase close later, for every team or for one; a phase never becomes shorter.

    A phase that is over is open again, unless its releases were handed over.
    """
    from quintain.figures.format import deadline
    from quintain.journal.events import read_time, write_time
    from quintain.runs.folder.folder import Folder
    from quintain.runs.lint import overlapping_rounds, phases_out_of_order
    from quintain.runs.organising.amend import extend as extend_phase
    from quintain.runs.organising.amend import extend_for_team

    try:
        moment = datetime.fromisoformat(until)
        write_time(moment)  # the zone may move the first and the last year out of the calendar
    except (ValueError, OverflowError):
        raise click.BadParameter(f"expected a time like 2026-05-01T12:00Z, got {until!r}") from None
    opened = Folder(folder)
    extension = (
        extend_phase(opened, phase, moment, why, track=track)
        if team is None
        else extend_for_team(opened, team, phase, moment, why, track=track)
    )
    event, closes = extension.event, deadline(read_time(extension.event.closes))
    before, whom = deadline(extension.before), "" if team is None else f" for team {team}"
    click.echo(f"phase {phase} of track {event.track} closes at {closes}{whom}, not at {before}")
    latest = opened.state().latest(opened.edition())
    for finding in (*phases_out_of_order(latest), *overlapping_rounds(latest)):
        click.echo(f"warning: {finding.message}; {finding.cost}", err=True)
    print_checkpoint(opened)


@click.command(epilog=examples("quintain amend my-contest --why 'a limit was missing'"))
@options.folder
@click.argument(
    "edition", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@reason
def amend(folder: Path, edition: Path | None, why: str) -> None:
    """Put a new version of the rules in force, from the edition file of the folder or another one.

    What data, submissions or a hand-over depend on must stay: such changes are refused, and all of
    them are listed. If a phase was extended, write its new end into the file first. Teams join with
    quintain team add, not with [[team]].
    """
    from quintain.contests import load
    from quintain.runs.folder import paths
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.amend import amend as amend_rules

    opened = Folder(folder)
    amendment = amend_rules(opened, load(edition or opened.at(paths.EDITION)), why)
    click.echo(f"version {amendment.event.version} of the rules is in force; it changes:")
    for key in amendment.changes:
        click.echo(f"  {key}")
    for team in amendment.other_teams:
        click.echo(f"warning: [[team]] {team} changes nothing: use quintain team", err=True)
    for track in amendment.judged_anew:
        click.echo(
            f"warning: track {track}: its releases were handed over, and are judged by the new "
            f"gates: run quintain score {folder} and look who fails them before you tell the teams",
            err=True,
        )
    print_checkpoint(opened)


@click.command(
    "submit-round", epilog=examples("quintain submit-round my-contest round.zip --kind release")
)
@options.folder
@click.argument("upload", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--kind", type=click.Choice(["release", "guess"]), required=True, help="What to submit."
)
@options.track
def submit_round(folder: Path, upload: Path, kind: str, track: str | None) -> None:
    """Submit all teams' releases or guesses at once, by the file names of the rules.

    UPLOAD is a folder or a zip with the file names of an exported round. A team with a fault is
    refused, with every fault; the others are accepted.
    """
    from quintain.jobs.subprocess_reader import READERS

    READERS.start()  # it gets ready while this process loads the rules
    from quintain.runs.folder.folder import Folder
    from quintain.runs.submissions import rounds
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.submissions.submit import submitted_text
    from quintain.runs.submissions.upload import read_upload

    opened = Folder(folder)
    opened.require_prepared()
    edition = opened.edition()
    chosen = choose_track(edition, track)
    names = rounds.round_names(opened, chosen, kind)
    files = read_upload(upload, edition.limits, artefacts=names)
    done = rounds.submit_round(opened, chosen, kind, files)
    for submission in done.submitted:
        click.echo(submitted_text(submission))
    done.refused.raise_if_any(SubmissionError)


@click.command(
    "import-codabench",
    epilog=examples(
        "quintain import-codabench my-contest bulk_submissions.zip --accounts accounts.csv"
    ),
)
@options.folder
@click.argument("download", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--accounts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    show_default="an account is called as its team",
    help="A CSV file with the columns account and team.",
)
@options.track
def import_codabench(
    folder: Path, download: Path, accounts: Path | None, track: str | None
) -> None:
    """Submit what teams submitted on CodaBench: releases until the hand-over, then guesses.

    DOWNLOAD is the zip that the site makes of selected submissions, or a folder with its files.
    What is refused is listed with every fault; the others are accepted. A submission whose number
    is in the folder already is left out.
    """
    from quintain.jobs.subprocess_reader import READERS

    READERS.start()  # it gets ready while this process loads the rules
    from quintain.figures.format import count
    from quintain.kit.codabench.download import read_accounts, read_download, submit_download
    from quintain.runs.folder.folder import Folder
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.submissions.submit import submitted_text

    opened = Folder(folder)
    opened.require_prepared()
    edition = opened.edition()
    chosen, teams = choose_track(edition, track), opened.state().roster.ids
    team_of = {} if accounts is None else read_accounts(accounts, tuple(teams))
    downloads = read_download(download, edition.limits)
    done = submit_download(opened, chosen, downloads, team_of)
    for submission in done.accepted:
        click.echo(submitted_text(submission))
    for file, event in done.known.items():
        click.echo(f"{file}: left out, it is in the folder already as event {event.number}")
    click.echo(f"new and accepted: {len(done.accepted)} of {count(len(downloads), 'submission')}")
    done.refused.raise_if_any(SubmissionError)


@click.command(
    epilog=examples("quintain checkpoint my-contest", "quintain checkpoint my-contest --closed")
)
@options.folder
@click.option(
    "--closed", is_flag=True, help="Sign one for every phase that has closed since the last call."
)
def checkpoint(folder: Path, closed: bool) -> None:
    """Print the signed root of the journal, to be published where teams can keep it.

    It also writes again what everybody may read of the contest. In a kit or an archive it prints
    the checkpoint that came with it. With --closed it signs a checkpoint for every phase that has
    closed, in public/checkpoints, and names the files.
    """
    from quintain.runs.folder import paths
    from quintain.runs.folder.folder import Folder
    from quintain.runs.folder.record import publish
    from quintain.runs.organising.close import sign_closings

    opened = Folder(folder)
    opened.require_prepared()
    if closed:
        for closing in sign_closings(opened):
            click.echo(f"publish {opened.at(closing.path)}: {closing.occasion}")
        return
    signs = opened.at(paths.SIGNING_KEY).is_file()
    click.echo(publish(opened) if signs else opened.at(paths.CHECKPOINT).read_text(), nl=False)


@click.command(epilog=examples("quintain receipt my-contest 17 --out receipt.json"))
@options.folder
@click.argument("number", type=click.IntRange(1))
@click.option("--out", type=outputs.NewFile(), help="Write it there instead.")
@outputs.replace
def receipt(folder: Path, number: int, out: Path | None) -> None:
    """Give the receipt of a submission again, if a team has lost it.

    NUMBER is the number of its event; quintain log --all lists them.
    """
    from quintain.runs.folder.folder import Folder
    from quintain.runs.folder.record import receipt_again

    opened = Folder(folder)
    opened.require_secrets()
    content = receipt_again(opened, number).to_bytes()
    if out is None:
        click.echo(content.decode(), nl=False)
    else:
        outputs.write_file(out, content)
        click.echo(f"{out}: the receipt of submission {number}")


@click.command(epilog=examples("quintain log my-contest", "quintain log my-contest --all"))
@options.folder
@click.option("--all", "every", is_flag=True, help="List each submission; else only count them.")
def log(folder: Path, every: bool) -> None:
    """Print what happened in a contest, one line per event."""
    from quintain.figures.format import printable
    from quintain.runs.folder.journal_folder import JournalFolder
    from quintain.runs.story import Versions, changes_rules, log_lines, rules_of

    opened = JournalFolder(folder)
    opened.require_prepared()
    events = list(opened.journal().events())
    versions: Versions = {}
    if changes_rules(events):
        from quintain.runs.folder.folder import Folder

        versions = rules_of(Folder(folder))
    for line in log_lines(events, versions, every=every):
        click.echo(printable(line))


@click.command(
    epilog=examples(
        "quintain freeze my-contest", "quintain freeze my-contest --why 'all teams are done'"
    )
)
@options.folder
@click.option("--why", default="", help="The reason, if a phase is still open.")
@options.executor
@options.trust_programs
def freeze(folder: Path, why: str, executor: Executor, containment: Containment) -> None:
    """End the contest: no submission, decision or new rule is accepted any more."""
    from quintain.figures.format import minute
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.freeze import freeze as freeze_contest

    opened = Folder(folder)
    with progress():
        event = freeze_contest(opened, why, executor=executor, containment=containment)
    click.echo(f"the contest ended at {minute(event.moment)}")
    print_checkpoint(opened)
    click.echo(f"next: quintain reveal {folder} revealed.zip")


@click.command(epilog=examples("quintain reveal my-contest revealed.zip"))
@options.folder
@click.argument("target", type=outputs.NewFile())
@outputs.replace
@options.executor
@options.trust_programs
def reveal(folder: Path, target: Path, executor: Executor, containment: Containment) -> None:
    """Score for the last time, and write the archive with every secret for everybody.

    All phases must be over, or the contest frozen. Only the signing key stays secret. Of a data
    file of your own, the archive has the columns of the schema; where the rules say reveal =
    "without-data", it has neither the data nor the keys.
    """
    from quintain.kit.archive import archive_bytes
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.freeze import reveal as reveal_contest

    opened = Folder(folder)
    require_place(target)
    print_disclosures(opened.edition())
    with progress():
        reveal_contest(opened, executor=executor, containment=containment)
    content = archive_bytes(opened)
    outputs.write_file(target, content, public=True)
    click.echo(f"{target}: {len(content)} bytes; publish it, and anybody can verify the contest:")
    click.echo(f"  quintain verify {target.name}")
    print_checkpoint(opened)
