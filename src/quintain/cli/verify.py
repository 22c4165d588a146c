"""The command ``verify``: replay a contest that is over, and compare it with what was published."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options
from quintain.cli.display import progress
from quintain.cli.groups import examples
from quintain.errors import SHOWN_FAULTS

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor
    from quintain.programs.choice import Containment
    from quintain.runs.verification.verify import Verification

_KEPT = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(
    epilog=examples(
        "quintain verify revealed.zip --checkpoint checkpoint.txt",
        "quintain verify my-contest --receipt receipt.json --root ROOT",
        "quintain verify my-contest --fast",
        "quintain verify revealed.zip --checkpoint last.txt --strict",
        "quintain verify revealed.zip --tsa-certificate tsa.pem",
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--root", "roots", multiple=True, metavar="HEX", help="A root that was published.")
@click.option("--receipt", "receipts", multiple=True, type=_KEPT, help="A receipt of a team.")
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    type=_KEPT,
    help="A checkpoint that was published.",
)
@click.option(
    "--timestamp",
    "timestamps",
    multiple=True,
    type=_KEPT,
    help="A timestamp (RFC 3161) of a checkpoint; those in the archive are read anyway.",
)
@click.option(
    "--tsa-certificate",
    "authorities",
    multiple=True,
    type=_KEPT,
    help="The certificate of a clock outside that you believe (PEM), with its chain.",
)
@click.option(
    "--fast", is_flag=True, help="Compare hashes and scores only; make no sample or release again."
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 2 if the evidence does not fix every event, or something was not checked.",
)
@click.option(
    "--memory",
    type=click.FloatRange(0.5),
    show_default="half of the machine's",
    metavar="GB",
    help="How much memory a process of the replay may use: the rules of an archive decide.",
)
@options.executor
@options.trust_programs
def verify(
    folder: Path,
    roots: tuple[str, ...],
    receipts: tuple[Path, ...],
    checkpoints: tuple[Path, ...],
    timestamps: tuple[Path, ...],
    authorities: tuple[Path, ...],
    fast: bool,
    strict: bool,
    memory: float | None,
    executor: Executor,
    containment: Containment,
) -> None:
    """Replay a contest that is over, from its keys and its journal, and compare every byte.

    FOLDER may be the archive itself: a zip is unpacked into a temporary folder. Without a root, a
    receipt or a checkpoint that somebody kept, the parts of a contest can only be compared with
    each other. With --tsa-certificate, a timestamp in the archive shows when a history was there.
    All of these may be repeated. The last line says how many events they fix: organisers
    could still change the later ones. The exit code is 1 if something is wrong, and 2 if all is
    verified except what the programs of some teams made.
    """
    from quintain.jobs.memory import limit_memory
    from quintain.journal.timestamp import require_client
    from quintain.runs.folder.zipped import open_packed
    from quintain.runs.verification.chain import KeptEvidence
    from quintain.runs.verification.verify import verify as verify_folder

    if timestamps and not authorities:
        raise click.UsageError("--timestamp needs --tsa-certificate: who signs the time?")
    if authorities:
        require_client()
    evidence = KeptEvidence(
        roots,
        _contents(receipts),
        _contents(checkpoints),
        _contents(timestamps),
        b"\n".join(_contents(authorities).values()),
    )
    evidence.require_readable()
    with limit_memory(memory), progress(), open_packed(folder) as revealed:
        verification = verify_folder(
            revealed,
            evidence=evidence,
            executor=executor,
            fast=fast,
            containment=containment,
        )
    _print(verification, fast)
    if verification.problems:
        sys.exit(1)
    if verification.excepted or (strict and (fast or not verification.complete)):
        sys.exit(2)


def _contents(files: tuple[Path, ...]) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in files}


def _print(verification: Verification, fast: bool) -> None:
    from quintain.figures.format import printable
    from quintain.runs.verification import verify as verification_words

    for line in (*verification_words.roots_in_words(verification), *verification.matches):
        click.echo(printable(line))
    for note in verification.notes:
        click.echo(f"note: {printable(note)}")
    if fast:
        click.echo(verification_words.NOT_REPLAYED)
    if not verification.problems:
        for sentence in verification_words.still_trusted(verification):
            click.echo(f"to trust: {printable(sentence)}")
        for sentence in (
            *chain.from_iterable(verification.excepted.values()),
            *map(str, verification.boards),
        ):
            click.echo(printable(sentence))
    for problem in verification.problems[:SHOWN_FAULTS]:
        click.echo(printable(problem))
    if len(verification.problems) > SHOWN_FAULTS:
        click.echo(f"and {len(verification.problems) - SHOWN_FAULTS} more")
    click.echo(verification_words.verdict(verification), err=bool(verification.problems))
