"""Commands of a team: ``check``, ``submit``, ``choose``, ``board``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options, outputs, remote
from quintain.cli.display import print_boards, print_feedback
from quintain.cli.groups import examples
from quintain.cli.live import print_checkpoint
from quintain.errors import Faults, FolderError, SubmissionError

if TYPE_CHECKING:
    from quintain.runs.folder.layout import FolderLayout
    from quintain.runs.submissions.admission import Admission
    from quintain.runs.submissions.submit import Examination


upload = click.argument("upload", type=click.Path(path_type=Path))


@click.command(epilog=examples("quintain check my-contest guesses.zip --team red"))
@options.folder
@upload
@options.team
@options.track
@options.kind
@options.sample
def check(
    folder: Path,
    upload: Path,
    team: str,
    track: str | None,
    kind: str | None,
    sample: int | None,
) -> None:
    """Check a submission the way the judge does, without submitting it.

    UPLOAD is a file, a folder or a zip. Every fault is listed, with file, line and column. The
    utility of a release is measured, too; a release that fails a gate would be disqualified.
    """
    from quintain.jobs.subprocess_reader import READERS

    READERS.start()  # it gets ready while this process loads the rules
    from quintain.errors import PhaseClosed
    from quintain.figures.format import count
    from quintain.runs.folder.folder import Folder
    from quintain.runs.submissions.checking import chosen_sample
    from quintain.runs.submissions.submit import admission_for, examine
    from quintain.runs.submissions.upload import read_upload

    opened = Folder(folder)
    admission = admission_for(opened, team, track=track, kind=kind)
    files = read_upload(
        upload,
        opened.edition().limits,
        program=admission.packed,
        artefacts=admission.artefacts,
    )
    chosen = chosen_sample(admission, files, sample)
    examination = examine(opened, admission, files, sample=chosen)
    examination.raise_if_faulty()
    if admission.program:
        click.echo(f"{upload}: a valid {admission.phase.submits}; the organisers run it")
    else:
        click.echo(f"{upload}: a valid {admission.phase.submit} of {count(len(files), 'file')}")
    _show(admission, files, examination)
    obstacles = admission.obstacles(files)
    _warn([*examination.warnings(), *map(str, obstacles)])
    if opened.is_kit and any(isinstance(obstacle, PhaseClosed) for obstacle in obstacles):
        click.echo(
            "your kit knows what happened until it was made; if the organisers extended a phase "
            "since, only a new kit says so",
            err=True,
        )
    failures = Faults(upload.name)
    for failure in examination.gate_failures:
        failures.add(f"would be disqualified: {failure}")
    failures.raise_if_any(SubmissionError)


@click.command(
    epilog=examples(
        "quintain submit my-contest guesses.zip --team red",
        "quintain submit my-contest guesses.zip --team red --receipt receipt.json",
        "quintain submit --server https://contests.example.org --contest amic guesses.zip",
    )
)
@click.argument("places", metavar="[FOLDER] UPLOAD", nargs=-1, type=click.Path(path_type=Path))
@click.option("--team", help="The team that submits; a site knows it by your token.")
@remote.server
@remote.contest
@options.track
@options.kind
@options.sample
@click.option("--json", "as_json", is_flag=True, help="Print the receipt as one line of JSON.")
@click.option("--receipt", type=outputs.NewFile(), help="Write the receipt there.")
@outputs.replace
def submit(
    places: tuple[Path, ...],
    team: str | None,
    server: str | None,
    contest: str | None,
    track: str | None,
    kind: str | None,
    sample: int | None,
    as_json: bool,
    receipt: Path | None,
) -> None:
    """Submit a release or guesses, and get a signed receipt.

    A submission with a fault is refused as a whole and changes nothing. Keep the receipt: with it
    you can prove what you submitted and when, whatever the organisers say (quintain verify
    --receipt). Where the rules say so, you see the utility of a release at once.

    With --server and --contest, it submits to a contest on a site, and needs no FOLDER.
    """
    if server is not None:
        (upload,) = _places(places, "UPLOAD")
        fields = {"track": track, "kind": kind, "sample": sample}
        where = server, _require_option(contest, "--contest"), upload
        remote.submit_remote(*where, fields, as_json=as_json, receipt=receipt)
        return
    folder, upload = _places(places, "FOLDER", "UPLOAD")
    team = _require_option(team, "--team")
    from quintain.jobs.subprocess_reader import READERS

    READERS.start()  # it gets ready while this process loads the rules
    from quintain.runs.folder.folder import Folder
    from quintain.runs.submissions.submit import admission_for
    from quintain.runs.submissions.submit import submit as submit_files
    from quintain.runs.submissions.upload import read_upload

    opened = Folder(folder)
    admission = admission_for(opened, team, track=track, kind=kind)
    files = read_upload(
        upload,
        opened.edition().limits,
        program=admission.packed,
        artefacts=admission.artefacts,
    )
    accepted = submit_files(opened, team, files, track=track, kind=kind, sample=sample)
    proof = json.dumps(json.loads(accepted.receipt.to_bytes()), sort_keys=True)
    click.echo(proof if as_json else accepted.sentence())
    if receipt is not None:  # after the sentence: nobody submits twice if this cannot be written
        outputs.write_file(receipt, accepted.receipt.to_bytes())
        click.echo(f"keep {receipt}: it proves what you submitted and when", err=True)
    if not as_json:
        _show(accepted.admission, files, accepted.examination)
    gates = accepted.examination.gate_failures
    _warn([*accepted.warnings(), *(f"would be disqualified: {failure}" for failure in gates)])


def _places(given: tuple[Path, ...], *names: str) -> tuple[Path, ...]:
    """The arguments; on a site one less is needed."""
    if len(given) < len(names):
        raise click.UsageError(f"Missing argument '{names[len(given)]}'.")
    if len(given) > len(names):
        raise click.UsageError(f"Got unexpected extra argument ({given[len(names)]})")
    return given


def _require_option(value: str | None, option: str) -> str:
    if value is None:
        raise click.UsageError(f"Missing option '{option}'.")
    return value


def _show(admission: Admission, files: Iterable[str], examination: Examination) -> None:
    """Print the artefacts of a submission and the readings that the team may see."""
    for name, artefact in admission.artefacts.items():
        if name in files:
            click.echo(f"{artefact.name:>24}  {name}: {artefact.words()}")
    for label, reading in examination.readings.items():
        click.echo(f"{label:>24}  {reading}   ({reading.better} is better)")


def _warn(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        click.echo(f"warning: {sentence}", err=True)


@click.command(
    epilog=examples(
        "quintain board my-contest --team red",
        "quintain board my-contest --official",
        "quintain board --server https://contests.example.org --contest amic",
    )
)
@click.argument("places", metavar="[FOLDER]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--team", help="What this team may see of its own scores.")
@click.option("--official", is_flag=True, help="The organisers' full standings.")
@remote.server
@remote.contest
@options.as_json
def board(
    places: tuple[Path, ...],
    team: str | None,
    official: bool,
    server: str | None,
    contest: str | None,
    as_json: bool,
) -> None:
    """Show what teams may see of the scores, or the organisers' full standings.

    Everybody sees the feedback policy; only --team shows scores, those of the team's own attacks.
    On a site (--server, --contest) you see those of the team that you are in.
    """
    if server is not None:
        _places(places)
        remote.board_remote(server, _require_option(contest, "--contest"), as_json=as_json)
        return
    (folder,) = _places(places, "FOLDER")
    from quintain.runs.folder import paths
    from quintain.runs.folder.layout import FolderLayout

    opened = FolderLayout(folder)
    opened.require_prepared()
    path = opened.at(paths.STANDINGS if official else paths.BOARD)
    if team is not None and not official:
        from quintain.runs.folder.journal_folder import JournalFolder

        JournalFolder(folder).state().roster.entrant(team)
        own = opened.at(paths.team_board(team))
        path = own if own.is_file() else path
    if not path.is_file():
        raise FolderError(f"{folder} has no scores yet: run quintain score {folder}")
    if as_json:
        click.echo(path.read_text(), nl=False)
    elif official:
        _warn_of_later_events(opened)
        print_boards(opened)
    else:
        print_feedback(opened, json.loads(path.read_bytes()))


def _warn_of_later_events(folder: FolderLayout) -> None:
    """Say so if something happened after the scoring, unless it was the reveal.

    The lines of the journal are counted, and not read as events: that would load much more.
    """
    from quintain.runs.folder import paths

    journal = folder.at(paths.JOURNAL)
    if not journal.is_file():  # a kit or an archive
        return
    scored = json.loads(folder.at(paths.STANDINGS).read_bytes())["journal"]["events"]
    lines = journal.read_bytes().splitlines()
    if scored < len(lines) and b'"event": "revealed"' not in lines[-1]:
        click.echo(
            f"warning: these are the scores after event {scored} of {len(lines)}; the later ones "
            f"are in quintain log {folder.root}, and count after quintain score {folder.root}",
            err=True,
        )


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
