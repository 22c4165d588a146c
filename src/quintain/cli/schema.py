"""The command ``schema``: schemas of edition files and of data files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options
from quintain.cli.examples import examples

if TYPE_CHECKING:
    from quintain.data.learning.learn import Learned
    from quintain.data.schema import Shape


@click.group(
    invoke_without_command=True,
    epilog=examples(
        "quintain schema edition > edition.schema.json", "quintain schema learn table.csv"
    ),
)
@click.pass_context
def schema(context: click.Context) -> None:
    """Print the schema of edition files, or learn the schema of a table of your own.

    Without a command it prints the schema of edition files.
    """
    if context.invoked_subcommand is None:
        context.invoke(edition)


@schema.command(epilog=examples("quintain schema edition > edition.schema.json"))
def edition() -> None:
    """Print the JSON Schema of edition files, with every part's parameters."""
    from quintain.commitment import canonical_json
    from quintain.contests.json_schema import edition_schema

    click.echo(canonical_json(edition_schema()).decode(), nl=False)


@schema.command(
    epilog=examples(
        "quintain schema learn table.csv > schema.json",
        "quintain schema learn sales.parquet --shape transactions --role who=customer "
        "--role day=time > schema.json",
    )
)
@click.argument("table", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--shape",
    type=click.Choice(["table", "transactions", "series"]),
    default="table",
    show_default=True,
    help="One row per person; many rows per person; or a series of numbers for each person.",
)
@click.option(
    "--role",
    "given",
    multiple=True,
    metavar="COLUMN=ROLE",
    help="What a column is for: person, household, customer, time, item, secret; may be repeated.",
)
@options.header
def learn(table: Path, shape: Shape, given: tuple[str, ...], header: bool | None) -> None:
    """Learn the schema of TABLE, a CSV, Parquet or Excel file, from its cells.

    It prints the schema, to be edited and put beside the edition file, and on the error output why
    each column is what it is. A learned domain reveals what is in the data.
    """
    from quintain.data.learning.input_table import InputTable
    from quintain.data.learning.learn import CAUTION
    from quintain.data.learning.learn import learn as learn_table

    source = InputTable.of(table, header=header)
    learned = learn_table(source, shape=shape, roles=dict(_role(text) for text in given))
    click.echo(learned.to_json(), nl=False)
    _explain(learned)
    click.echo(f"\n{CAUTION}", err=True)


def _role(text: str) -> tuple[str, str]:
    column, sign, role = text.rpartition("=")
    if not sign or not column or not role:
        raise click.BadParameter(f"expected COLUMN=ROLE, got {text!r}")
    return column, role


def _explain(learned: Learned) -> None:
    """Say why each column is what it is."""
    table = learned.tables[0]
    click.echo(f"{table.name}: {table.rows} rows; {table.form}", err=True)
    width = max(len(decision.name) for decision in learned.decisions)
    for decision in learned.decisions:
        kind = "-" if decision.column is None else decision.column.kind
        click.echo(f"  {decision.name:<{width}}  {kind:<8}  {decision.reason}", err=True)
