"""Commands that show the journal: ``checkpoint``, ``receipt``, ``log``."""

from __future__ import annotations

from pathlib import Path

import click

from quintain.cli import options
from quintain.cli.examples import examples


@click.command(epilog=examples("quintain checkpoint my-contest"))
@options.folder
def checkpoint(folder: Path) -> None:
    """Print the signed root of the journal, to be published where teams can keep it.

    It also writes again what everybody may read of the contest. In a kit or an archive it prints
    the checkpoint that came with it.
    """
    from quintain.runs.folder import paths
    from quintain.runs.folder.folder import Folder
    from quintain.runs.folder.record import publish

    opened = Folder(folder)
    opened.require_prepared()
    signs = opened.at(paths.SIGNING_KEY).is_file()
    click.echo(publish(opened) if signs else opened.at(paths.CHECKPOINT).read_text(), nl=False)


@click.command(epilog=examples("quintain receipt my-contest 17 --out receipt.json"))
@options.folder
@click.argument("number", type=click.IntRange(1))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it there instead."
)
def receipt(folder: Path, number: int, out: Path | None) -> None:
    """Give the receipt of a submission again, if a team has lost it.

    NUMBER is the number of its event; quintain log --all lists them.
    """
    from quintain.jobs.files import write_file
    from quintain.runs.folder.folder import Folder
    from quintain.runs.folder.record import receipt_again

    opened = Folder(folder)
    opened.require_secrets()
    content = receipt_again(opened, number).to_bytes()
    if out is None:
        click.echo(content.decode(), nl=False)
    else:
        write_file(out, content)
        click.echo(f"{out}: the receipt of submission {number}")


@click.command(epilog=examples("quintain log my-contest", "quintain log my-contest --all"))
@options.folder
@click.option("--all", "every", is_flag=True, help="List each submission; else only count them.")
def log(folder: Path, every: bool) -> None:
    """Print what happened in a contest, one line per event."""
    from quintain.figures.format import printable
    from quintain.runs.folder.folder import Folder
    from quintain.runs.report.story import log_lines, rules_of

    opened = Folder(folder)
    opened.require_prepared()
    events = list(opened.journal().events())
    for line in log_lines(events, rules_of(opened), every=every):
        click.echo(printable(line))
