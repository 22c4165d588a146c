"""The command ``submit-round``: the files of all teams at once."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli import options
from quintain.cli.examples import examples
from quintain.errors import SubmissionError


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
    from quintain.jobs.apart import READERS

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
    done = rounds.submit_round(opened, chosen, kind, read_upload(upload, edition.limits))
    for one in done.submitted:
        click.echo(submitted_text(one))
    done.refused.raise_if_any(SubmissionError)
