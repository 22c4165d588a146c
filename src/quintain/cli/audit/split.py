"""The command ``audit split``: a control is split off before the rest is sanitized."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from quintain.cli import options, outputs
from quintain.cli.groups import examples

PUBLISH = (
    "What that audit allows you to publish is r.csv, made without the control, and not a release "
    "of everybody. To publish everybody, do not split: quintain audit everybody runs the sanitizer "
    "several times, each time without some people."
)


@click.command(
    epilog=examples(
        "quintain audit split --data people.csv --out parts",
        "quintain audit split --data visits.csv --out parts --unit patient --share 0.3",
        "quintain audit split --data tables/ --out parts",
    )
)
@click.option(
    "--data",
    required=True,
    type=click.Path(),
    callback=options.tables,
    help="The private table: CSV, Parquet or Excel; for several tables about people a folder or a "
    "zip archive of them, or the address of a database.",
)
@click.option(
    "--out",
    required=True,
    type=outputs.NewFolder(),
    help="An empty or new folder for the two parts.",
)
@outputs.replace
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    show_default=True,
    help="The share of the people that becomes the control.",
)
@click.option(
    "--unit",
    metavar="COLUMN",
    help="The column that says whose row it is; equal-rows if equal rows are one person's. For "
    "several tables: the column that names people.",
)
@click.option(
    "--schema",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    show_default="learned from the tables",
    help="For several tables: people.json of quintain schema learn.",
)
@options.header
@options.memory
@options.decimal_mark
@click.option("--seed", type=int, default=0, show_default=True, help="Decides who goes where.")
def split(
    data: Path | str,
    out: Path,
    share: float,
    unit: str | None,
    schema: Path | None,
    header: bool | None,
    seed: int,
) -> None:
    """Split a table at random into people to sanitize and people for the control.

    Do this before you sanitize. An audit compares how much the release tells about people who are
    in the data with how much it tells about people who are not; the control are the latter. Keep
    the control away from the sanitizer, and keep both parts private.

    Of several tables, all rows of a person come to the same side, whatever their table.
    """
    from quintain.audits.reading.units import EQUAL_ROWS, several_rows
    from quintain.audits.split import split_file
    from quintain.data.learning.input_table import InputTable
    from quintain.data.people_files import has_tables

    if isinstance(data, str) or has_tables(data):
        _split_tables(data, out, share, unit, schema, header, seed)
        return
    if schema is not None:
        raise click.UsageError("--schema is for several tables: a folder, an archive or a database")
    parts = split_file(
        data,
        out,
        share=share,
        unit=unit,
        header=header,
        seed=seed,
        replace=outputs.may_replace(),
    )
    if unit is None:
        for sentence in several_rows(InputTable.of(data, "data", header=header)):
            click.echo(f"warning: {sentence}", err=True)
    for part in parts:
        counted = "different rows" if unit == EQUAL_ROWS else f"values of {unit}"
        people = f", {part.units} {counted}" if unit else ""
        click.echo(f"{part.path}: {part.rows} rows{people}")
    original, control = (part.path for part in parts)
    click.echo("\nNext, sanitize the first of them alone, then audit the result r.csv:")
    click.echo(f"  {_next_command(original, control, 'r.csv', unit, None, header)}")
    click.echo("")
    click.echo(textwrap.fill(PUBLISH, 96))


def _split_tables(
    data: Path | str,
    out: Path,
    share: float,
    unit: str | None,
    schema: Path | None,
    header: bool | None,
    seed: int,
) -> None:
    """Split several tables by person, and say what comes next."""
    from quintain.audits.split import split_people

    parts = split_people(
        data,
        out,
        share=share,
        schema=schema,
        person=unit,
        header=header,
        seed=seed,
        replace=outputs.may_replace(),
    )
    for part in parts:
        click.echo(f"{part.path}: {part.units} people, {part.rows} rows in all tables")
    original, control = (part.path for part in parts)
    click.echo(
        "\nNext, sanitize the first of them alone into a folder r with the same tables, then:"
    )
    click.echo(f"  {_next_command(original, control, 'r', unit, schema, header)}")


def _next_command(
    original: Path,
    control: Path,
    made: str,
    unit: str | None,
    schema: Path | None,
    header: bool | None,
) -> str:
    """The whole command that audits what is made of the first part, on one line."""
    words = ["quintain", "audit", "release", "--original", str(original), "--release", made]
    words += ["--control", str(control)]
    words += [] if unit is None else ["--unit", unit]
    words += [] if schema is None else ["--schema", str(schema)]
    words += [] if header is None else ["--header" if header else "--no-header"]
    return options.repeat_line([*words, "--out", "audited"])
