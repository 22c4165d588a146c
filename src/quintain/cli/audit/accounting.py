"""The command ``audit accounting``: what noisy answers cost beside the claim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options
from quintain.cli.display import number, print_columns, progress
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.audits.accounting.results import AccountingAudit
    from quintain.sanitizers.mechanism import DomainSource


@click.command(
    epilog=examples(
        "quintain audit accounting mst --set epsilon=1",
        "quintain audit accounting",
        "quintain --plugin mine.py audit accounting mine --json",
        "quintain audit accounting aim --data people.csv --schema people.json --set epsilon=1",
        "quintain audit accounting mst --data visits.csv --unit pid --rows-per-unit 3",
    )
)
@click.argument("name", metavar="[SANITIZER]", required=False)
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    show_default="made-up data of every kind",
    help="The table to begin with: CSV, Parquet or Excel.",
)
@click.option(
    "--schema",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The columns of --data and their domains.",
)
@options.domain
@click.option("--unit", help="The column of --data that says whose row it is.")
@click.option("--rows-per-unit", type=click.IntRange(1), help="The most rows of a person.")
@options.parameters
@click.option("--seed", type=int, default=0, show_default=True, help="Repeats the audit.")
@options.as_json
def accounting(
    name: str | None,
    data: Path | None,
    schema: Path | None,
    domain: DomainSource | None,
    unit: str | None,
    rows_per_unit: int | None,
    parameters: dict[str, Any],
    seed: int,
    as_json: bool,
) -> None:
    """Add up what the noisy answers of SANITIZER cost, beside what it claims.

    SANITIZER is one of quintain parts sanitizer, or a part of a plugin; without it, every part that
    claims differential privacy is tried. It runs on a table, and gets the same noisy answers on a
    neighbour with one person more or less. What the answers cost follows from the differences of
    the true values; it must not exceed the claim. Everything else that is published must be equal.

    Some neighbours are ordinary people. Others have the largest numbers, a value that nobody else
    has, odd cells, or very many rows. Some tables have three rows, one or none. Nothing here rests
    on luck: a fault that these neighbours reach is found in every run. The command ends with exit
    code 3 if a claim is false.
    """
    from quintain.api.accounting import audit_accounting

    if data is None:
        given = {"--schema": schema, "--domain": domain, "--unit": unit}
        named = [
            option for option, value in {**given, "--rows-per-unit": rows_per_unit}.items() if value
        ]
        if named:
            raise click.UsageError(f"{', '.join(named)}: only for a table of yours: add --data")
    elif name is None:
        raise click.UsageError("--data: name the sanitizer")
    with progress():
        audit = audit_accounting(
            name,
            data,
            schema=schema,
            domain=domain,
            unit=unit,
            rows_per_unit=rows_per_unit,
            seed=seed,
            **parameters,
        )
    if as_json:
        click.echo(audit.model_dump_json(indent=2))
    else:
        _show(audit)
    if audit.broken:
        raise SystemExit(options.FAILED)


def _show(audit: AccountingAudit) -> None:
    from quintain.audits.accounting.results import VERDICTS

    columns: dict[str, list[str]] = {
        "sanitizer": [setting.part for setting in audit.settings],
        "data": [setting.setting for setting in audit.settings],
        "claim": [number(s.claim.epsilon) if s.claim else "" for s in audit.settings],
        "cost": [number(s.cost) if s.cost is not None else "" for s in audit.settings],
        "share": [number(s.share) if s.share is not None else "" for s in audit.settings],
        "neighbours": [str(setting.neighbours) for setting in audit.settings],
        "found": [setting.verdict for setting in audit.settings],
        "most costly": [setting.worst for setting in audit.settings],
    }
    print_columns("What noisy answers cost, in epsilon", columns, caption=None)
    for setting in audit.settings:
        if setting.findings or setting.why:
            click.echo(f"{setting.part}, {setting.setting}: {VERDICTS[setting.verdict]}")
        for finding in setting.findings:
            click.echo(f"  {finding.sentence()}")
        if setting.why:
            click.echo(f"  {setting.why}")
    click.echo("What this does not cover:")
    own = [limit for setting in audit.settings for limit in setting.limits]
    for limit in dict.fromkeys([*audit.limits, *own]):
        click.echo(f"  {limit}")
