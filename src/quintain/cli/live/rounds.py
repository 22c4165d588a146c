"""Commands that submit the files of all teams at once: ``submit-round``, ``import-codabench``."""

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
    for one in done.submitted:
        click.echo(submitted_text(one))
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
    What is refused is listed with every fault; the others are accepted. A submission that is in the
    folder already is left out.
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
    for one in done.submitted:
        click.echo(submitted_text(one))
    click.echo(
        f"{len(done.submitted)} of {count(len(downloads), 'submission')} are new and accepted"
    )
    done.refused.raise_if_any(SubmissionError)
