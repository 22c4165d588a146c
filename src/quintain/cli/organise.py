"""Commands of the organisers, from ``new`` to ``export``."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options, outputs
from quintain.cli.display import (
    print_boards,
    print_collusion,
    print_failures,
    print_refusals,
    progress,
)
from quintain.cli.groups import examples
from quintain.cli.live import print_disclosures, require_place

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor
    from quintain.kit.codabench.plan import Where
    from quintain.programs.choice import Containment
    from quintain.runs.folder.folder import Folder


@click.command(epilog=examples("quintain new tiny my-contest"))
@options.edition
@options.folder
@options.overrides
def new(edition: str, folder: Path, changes: dict[str, Any]) -> None:
    """Start an edition folder from a built-in edition or an edition file."""
    from quintain.runs.folder import paths
    from quintain.runs.new_folder import new_folder

    new_folder(edition, folder, changes)
    click.echo(f"{folder / paths.GITIGNORE} keeps secrets and submissions out of git")
    click.echo(f"edit {folder / paths.EDITION}")
    click.echo(f"then: quintain lint {folder}; quintain prepare {folder}")


@click.command(epilog=examples("quintain lint snake1-historic", "quintain lint my-contest"))
@click.argument("edition")
@options.profile
@options.quick
@options.overrides
def lint(edition: str, profile: str | None, quick: bool, changes: dict[str, Any]) -> None:
    """Find faults that real contests had, before the launch, and say what each would cost.

    EDITION is a built-in edition, an edition file or an edition folder.
    """
    from quintain.contests import load
    from quintain.figures.format import count
    from quintain.runs.folder.folder import Folder
    from quintain.runs.lint import lint_edition, lint_folder

    with progress():
        if Path(edition).is_dir():
            folder = Folder(edition)
            rules, findings = folder.edition(), list(lint_folder(folder))
        else:
            rules = load(edition, profile=profile, quick=quick, overrides=changes)
            findings = list(lint_edition(rules))
    for finding in findings:
        click.echo(f"{finding.severity}: {finding.check}: {finding.message}\n    {finding.cost}")
    print_disclosures(rules)
    stops = sum(finding.severity == "stop" for finding in findings)
    reasons = "a reason" if stops == 1 else "reasons"
    click.echo(f"{count(len(findings), 'finding')}, {stops} of them {reasons} not to launch")
    if stops:
        sys.exit(1)


@click.command(
    epilog=examples(
        "quintain prepare my-contest",
        "quintain prepare my-contest --beacon 8,15,23,31,40,44",
        "quintain prepare my-contest --track main",
    )
)
@options.folder
@options.seed
@click.option("--beacon", default="", help="The public value that the rules announced.")
@click.option("--track", "tracks", multiple=True, help="Prepare this round; may be repeated.")
@options.executor
def prepare(
    folder: Path, seed: int | None, beacon: str, tracks: tuple[str, ...], executor: Executor
) -> None:
    """Fix the rules, draw samples, make the releases, publish the commitments.

    Without --track, the rounds that have begun are prepared, or the first one; run it again before
    the next round. If the rules announce a beacon, the first call only commits to the secret keys;
    call it again with --beacon once the value is known. If teams make releases themselves, run
    quintain hand-over after that phase.

    After a crash or a power failure run it again, too: it makes files that are missing or damaged
    again, to the bytes that were committed to.
    """
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.prepare import prepare as prepare_folder

    opened = Folder(folder)
    print_disclosures(opened.edition())
    with progress():
        ready = prepare_folder(opened, seed=seed, beacon=beacon, tracks=tracks, executor=executor)
    _print_commitments(opened)
    if not ready:
        announced = opened.rules().commitment.beacon
        click.echo(f"nothing is drawn yet; the rules announced this beacon: {announced}")
        click.echo(f"once it is known, run: quintain prepare {folder} --beacon VALUE")
    else:
        _print_later_rounds(opened)


def _print_later_rounds(folder: Folder) -> None:
    """Say which rounds are still to be prepared, and which were prepared before their time."""
    from quintain.journal.state import has_begun
    from quintain.runs.folder import paths

    for track in folder.edition().track:
        if track.id not in folder.state().prepared:
            command = f"quintain prepare {folder.root} --track {track.id}"
            click.echo(f"track {track.id} is not prepared yet; when it begins, run: {command}")
        elif not has_begun(track, datetime.now(UTC)):
            place = folder.at(paths.places(track.id)[0])
            click.echo(f"track {track.id} has not begun: show {place} to nobody yet", err=True)


@click.command(
    "hand-over",
    epilog=examples("quintain hand-over my-contest", "quintain hand-over my-contest --track pre"),
)
@options.folder
@options.track
@options.executor
@options.trust_programs
def hand_over(
    folder: Path, track: str | None, executor: Executor, containment: Containment
) -> None:
    """Give the teams' releases of a round to the attackers, when the release phase is over.

    First it runs the programs that teams submitted. Then it publishes a new commitment. After
    that, no release of the round is accepted any more.
    """
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.hand_over import hand_over as hand_over_releases

    opened = Folder(folder)
    opened.require_prepared()
    with progress():
        chosen = hand_over_releases(opened, track, executor=executor, containment=containment)
    print_failures(opened)
    for entry, reason in opened.refused_entries(opened.edition().track_by_id(chosen)).items():
        click.echo(f"refused: nobody can be asked about the release of {entry}: {reason}")
    _print_commitments(opened)
    click.echo(f"next: new kits with the tasks: quintain export {folder} kit kit.zip --team TEAM")


def _print_commitments(folder: Folder) -> None:
    from quintain.runs.folder import paths
    from quintain.runs.folder.record import roots

    for stage, root in roots(folder.state()).items():
        click.echo(f"{folder.at(paths.commitment(stage))}: root {root}")
    click.echo(f"publish {folder.at(paths.CHECKPOINT)}: with it, anybody can verify this contest")
    _warn_of_rehearsal(folder)


def _warn_of_rehearsal(folder: Folder) -> None:
    from quintain.runs.lint import REHEARSAL

    if folder.secrets().test:
        click.echo(REHEARSAL, err=True)


@click.command(
    epilog=examples("quintain score my-contest", "quintain score my-contest --no-report")
)
@options.folder
@options.executor
@click.option(
    "--report/--no-report",
    default=True,
    help="Whether to write report.html. Without it, an outdated page is removed.",
)
@options.trust_programs
def score(folder: Path, executor: Executor, report: bool, containment: Containment) -> None:
    """Let the baselines attack, measure every cell, rank, write results/.

    Before that, it runs the programs that teams submitted.
    """
    from quintain.runs.folder.folder import Folder
    from quintain.runs.score import score as score_folder

    opened = Folder(folder)
    with progress():
        score_folder(opened, executor=executor, report=report, containment=containment)
    print_boards(opened)
    print_collusion(opened)
    print_failures(opened)
    print_refusals(opened)


def _zip_of(what: str, folder: Folder, team: str | None, track: str | None) -> bytes:
    """The content of a kit, an archive, a round or a trial."""
    from quintain.kit.archive import archive_bytes
    from quintain.kit.kit import kit_bytes, own_files
    from quintain.runs.submissions.admission import choose_track
    from quintain.runs.submissions.rounds import round_files, trial_files
    from quintain.runs.submissions.upload import zip_bytes

    if what == "kit":
        content = kit_bytes(folder, team)
        if team is not None and not own_files(folder, team):
            click.echo(f"team {team} has no private data: its kit has what everybody gets")
        return content
    if what == "archive":
        if folder.state().revealed is None:
            click.echo(f"this contest is not revealed: run quintain reveal {folder.root}", err=True)
        return archive_bytes(folder)
    edition = folder.edition()
    if what == "trial":
        return zip_bytes(trial_files(choose_track(edition, track or edition.track[0].id)))
    return zip_bytes(round_files(folder, choose_track(edition, track)))


@click.command(
    epilog=examples(
        "quintain export my-contest kit kit.zip",
        "quintain export my-contest archive revealed.zip",
        "quintain export my-contest codabench bundle.zip",
        "quintain export my-contest round round.zip --track pre",
        "quintain export my-contest trial trial.zip",
    )
)
@options.folder
@click.argument("what", type=click.Choice(["kit", "archive", "codabench", "round", "trial"]))
@click.argument("target", type=outputs.NewFile())
@outputs.replace
@click.option("--team", help="For a kit: add what only this team gets.")
@click.option(
    "--truth",
    type=click.Choice(["bundle", "worker"]),
    default="bundle",
    show_default=True,
    help="For CodaBench: the truth is in the bundle, or half there and half on your own worker.",
)
@options.track
@click.option("--goal", help="For CodaBench: one of several goals; each is its own competition.")
@click.option(
    "--rehearsal",
    is_flag=True,
    help="Export a kit or a bundle although anybody can compute the answers (--seed).",
)
def export(
    folder: Path,
    what: str,
    target: Path,
    team: str | None,
    truth: Where,
    track: str | None,
    goal: str | None,
    rehearsal: bool,
) -> None:
    """Write a zip: a KIT, a bundle for CODABENCH, the revealed ARCHIVE, a ROUND, or a TRIAL.

    The archive contains every secret, and so does a round: all files that one track has by now,
    under the names of its rules. A trial has files of the same kind that have nothing to do with
    the contest: anybody can make them again, and the answer is with them. With --truth worker, a
    second zip is for the worker.
    """
    from quintain.kit.codabench.bundle import bundle_bytes, current_phase, worker_bytes
    from quintain.runs.folder.folder import Folder
    from quintain.runs.lint import refuse_rehearsal
    from quintain.runs.submissions.admission import choose_track

    opened = Folder(folder)
    opened.require_prepared()
    require_place(target)
    if what in ("kit", "codabench") and not rehearsal:
        refuse_rehearsal(opened)
    contents = {}
    if what == "codabench":
        contents[target] = bundle_bytes(opened, truth=truth, track=track, goal=goal)
        if truth == "worker":
            beside = target.with_name(f"{target.stem}-worker{target.suffix}")
            contents[beside] = worker_bytes(opened, track=track, goal=goal)
        phase = current_phase(opened, choose_track(opened.edition(), track))
        click.echo(f"this bundle is for the phase in which teams submit a {phase}")
    else:
        contents[target] = _zip_of(what, opened, team, track)
    for path, content in contents.items():
        # What one team gets, the truth of a bundle and an archive are for the organisers' eyes.
        outputs.write_file(path, content, public=what == "kit" and team is None)
        click.echo(f"{path}: {len(content)} bytes")
    _warn_of_rehearsal(opened)
