"""The command ``doctor``: whether this machine can contain programs of strangers."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from quintain.cli import options
from quintain.cli.display import progress
from quintain.cli.groups import examples
from quintain.cli.terminal import console

if TYPE_CHECKING:
    from quintain.programs.escape.suite import Diagnosis


@click.command(epilog=examples("quintain doctor", "quintain doctor --json"))
@options.as_json
def doctor(as_json: bool) -> None:
    """Attack the sandboxes of this machine, and say whether programs of strangers may run here.

    It takes half a minute or less and changes nothing. Pairs of programs also try to leave notes
    for each other: of 300 bits, 150 are right by guessing, and more than 190 are too many. The
    sandbox 'process' contains nothing: it is for your own programs, and shows what each attack gets
    where nothing stops it. Plugins that cannot be loaded are named with their reasons.
    """
    from quintain.programs.choice import SANDBOXES
    from quintain.programs.escape.suite import diagnose
    from quintain.registry import left_out

    diagnoses: list[Diagnosis] = []
    with progress():
        for sandbox in SANDBOXES.values():
            # Where one cannot start there is nothing to compare.
            if not any(diagnosis.problem for diagnosis in diagnoses):
                # Work that goes on where programs are contained goes on where they are not.
                doubted = not diagnoses or bool(diagnoses[0].broken)
                diagnoses.append(diagnose(sandbox, work=doubted))
    refusal = diagnoses[0].refusal
    if as_json:
        click.echo(json.dumps(_as_json(diagnoses), indent=2))
    else:
        if not diagnoses[0].problem:
            _print_table(diagnoses)
            _print_whispers(diagnoses[0])
            _print_costs(diagnoses)
        click.echo(_verdict(diagnoses[0]))
    for reason in left_out():
        click.echo(f"left out: {reason}", err=True)
    if refusal:
        sys.exit(1)


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.refusal:
        return f"programs of strangers are refused on this machine: {diagnosis.refusal}"
    from quintain.programs.choice import RUNTIME

    notes = "no program can leave notes for the next as far as we tried, and"
    if not diagnosis.whispers:
        notes = f"one program can leave notes for the next, as {RUNTIME}=system allows, and"
    return (
        f"programs of strangers may run on this machine: {diagnosis.sandbox} contained all "
        f"{len(diagnosis.attacks)} attacks, {notes} honest work goes on"
    )


def _print_table(diagnoses: Sequence[Diagnosis]) -> None:
    from rich.table import Table

    from quintain.programs.escape.suite import ATTACKS

    table = Table("attack", *(diagnosis.sandbox for diagnosis in diagnoses))
    for number, (title, _) in enumerate(ATTACKS.values()):
        got = [diagnosis.attacks[number].got for diagnosis in diagnoses]
        table.add_row(f"{number + 1:2} {title}", *(f"got: {g}" if g else "contained" for g in got))
    console().print(table)


def _print_whispers(diagnosis: Diagnosis) -> None:
    from quintain.programs.escape.whispers import BITS, PAIRS

    for whisper in diagnosis.whispers:
        verdict = "heard" if whisper.heard else "guessing"
        title = PAIRS[whisper.pair].title
        click.echo(f"notes by {title}: {whisper.right} of {BITS} bits right, {verdict}")


def _print_costs(diagnoses: Sequence[Diagnosis]) -> None:
    for diagnosis in diagnoses:
        work = ""
        if diagnosis.broken is not None:
            work = f"honest work {'; '.join(diagnosis.broken) or 'goes on'}; "
        click.echo(f"{diagnosis.sandbox}: {work}{diagnosis.seconds:.2f} s per call")


def _as_json(diagnoses: Sequence[Diagnosis]) -> dict[str, object]:
    return {
        "strangers": not diagnoses[0].refusal,
        "reason": diagnoses[0].refusal,
        "sandboxes": {
            diagnosis.sandbox: {
                "problem": diagnosis.problem,
                "attacks": {outcome.attack: outcome.got for outcome in diagnosis.attacks},
                "whispers": {whisper.pair: whisper.right for whisper in diagnosis.whispers},
                "broken": diagnosis.broken,
                "seconds": diagnosis.seconds,
            }
            for diagnosis in diagnoses
        },
    }
