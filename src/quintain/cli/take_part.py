"""Commands of a team: ``check``, ``submit``, ``board``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from quintain.cli import options
from quintain.cli.display import in_order, print_boards
from quintain.cli.examples import examples
from quintain.errors import Faults, FolderError, KindNeeded, SubmissionError

upload = click.argument("upload", type=click.Path(path_type=Path))


@click.command(epilog=examples("quintain check my-contest guesses.zip --team red"))
@options.folder
@upload
@options.team
@options.track
@options.kind
def check(folder: Path, upload: Path, team: str, track: str | None, kind: str | None) -> None:
    """Check a submission the way the judge does; nothing is handed in.

    UPLOAD is a file, a folder or a zip. Every fault is listed, with file, line and column. Of a
    release, the utility is measured too; one that fails a gate would be disqualified.
    """
    from quintain.figures.counts import count
    from quintain.runs.folder.folder import Folder
    from quintain.runs.folder.paths import CARD
    from quintain.runs.folder.task import Task
    from quintain.runs.scores.cells import gate_failures, measure_release
    from quintain.runs.submissions.checking import check as check_files
    from quintain.runs.submissions.checking import check_program, read_release
    from quintain.runs.submissions.ledger import choose_track, require_team
    from quintain.runs.submissions.upload import read_upload

    opened = Folder(folder)
    opened.require_prepared()
    edition = opened.edition()
    chosen = choose_track(edition, track)
    require_team(edition, team)
    kinds = {phase.submit for phase in chosen.phase}
    what = kind or (kinds.pop() if len(kinds) == 1 else "")
    if not what:
        raise KindNeeded("say what it is: --kind release or --kind guess")
    phase = chosen.phase_for(what)
    assert phase is not None  # it is one of the kinds of this track
    files = read_upload(upload, edition.limits, program=phase.contract is not None)
    if phase.contract is not None:
        check_program(opened, phase, files)
        click.echo(f"{upload}: a valid program; the organisers run it")
        return
    check_files(opened, chosen, what, team, files)
    click.echo(f"{upload}: a valid {what} of {count(len(files), 'file')}")
    if what != "release" or not chosen.release_measures:
        return
    (name,) = (name for name in files if name != CARD)
    release = read_release(opened, chosen, name, files[name], Faults(name))
    assert release is not None  # it was read without a fault just now
    original = opened.private(chosen, Task(chosen.id, team))
    readings = measure_release(chosen, original, release, opened.test_data(chosen.id))
    for label, reading in readings.items():
        click.echo(f"{label:>24}  {reading}   ({reading.better} is better)")
    failures = Faults(upload.name)
    for failure in gate_failures(chosen, readings):
        failures.add(f"would be disqualified: {failure}")
    failures.raise_if_any(SubmissionError)


@click.command(epilog=examples("quintain submit my-contest guesses.zip --team red"))
@options.folder
@upload
@options.team
@options.track
@options.kind
def submit(folder: Path, upload: Path, team: str, track: str | None, kind: str | None) -> None:
    """Hand in a release or guesses, and print the receipt.

    A submission with a fault is refused as a whole and changes nothing.
    """
    from quintain.runs.folder.folder import Folder
    from quintain.runs.submissions.ledger import choose_track
    from quintain.runs.submissions.ledger import submit as hand_in
    from quintain.runs.submissions.upload import read_upload

    opened = Folder(folder)
    opened.require_prepared()
    edition = opened.edition()
    chosen = choose_track(edition, track)
    program = any(p.contract is not None for p in chosen.phase if kind in (None, p.submit))
    files = read_upload(upload, edition.limits, program=program)
    click.echo(hand_in(opened, team, files, track=track, kind=kind).line())


@click.command(epilog=examples("quintain board my-contest --official"))
@options.folder
@click.option("--official", is_flag=True, help="The organisers' full standings.")
@options.as_json
def board(folder: Path, official: bool, as_json: bool) -> None:
    """Show what teams may see of the scores; the standings, for the organisers."""
    from quintain.runs.folder import paths
    from quintain.runs.folder.folder import Folder

    opened = Folder(folder)
    opened.require_prepared()
    path = opened.at(paths.STANDINGS if official else paths.BOARD)
    if not path.is_file():
        raise FolderError(f"{folder} has no scores yet: run quintain score {folder}")
    if as_json:
        click.echo(path.read_text(), nl=False)
    elif official:
        print_boards(opened)
    else:
        content = json.loads(path.read_bytes())
        for track, attackers in in_order(opened, content["tracks"]):
            policy = content["feedback"][track]["show"]
            click.echo(f"track {track}: feedback is {policy!r}")
            for attacker, entries in attackers.items():
                for entry, readings in entries.items():
                    shown = ", ".join(f"{name} {value:g}" for name, value in readings.items())
                    click.echo(f"  {attacker} on {entry}: {shown}")
