"""The commands ``freeze`` and ``reveal``: the end of a contest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options
from quintain.cli.display import progress
from quintain.cli.examples import examples
from quintain.cli.live.published import print_checkpoint, print_disclosures, require_place

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor
    from quintain.programs.choice import Containment


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
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@options.executor
@options.trust_programs
def reveal(folder: Path, target: Path, executor: Executor, containment: Containment) -> None:
    """Score for the last time, and write the archive with every secret for everybody.

    All phases must be over, or the contest frozen. Only the signing key stays secret. Of a data
    file of your own, the archive has the columns of the schema.
    """
    from quintain.jobs.files import write_file
    from quintain.kit.archive import archive_bytes
    from quintain.runs.folder.folder import Folder
    from quintain.runs.organising.freeze import reveal as reveal_contest

    opened = Folder(folder)
    require_place(target)
    print_disclosures(opened.edition())
    with progress():
        reveal_contest(opened, executor=executor, containment=containment)
    content = archive_bytes(opened)
    write_file(target, content, public=True)
    click.echo(f"{target}: {len(content)} bytes; publish it, and anybody can verify the contest:")
    click.echo(f"  quintain verify {target.name}")
    print_checkpoint(opened)
