"""Commands that show what is available: ``parts``, ``editions``, ``schema``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.data.learning.decisions import Decision
    from quintain.data.learning.input_table import DescribedTable, InputTable
    from quintain.data.people_schema import PeopleSchema
    from quintain.registry import Part


@click.command(
    epilog=examples(
        "quintain parts",
        "quintain parts attack",
        "quintain parts attack --goal published-row",
        "quintain parts nearest",
    )
)
@click.argument("name", required=False)
@click.option("--goal", help="List only the attacks and measures about this goal.")
def parts(name: str | None, goal: str | None) -> None:
    """List the parts that an edition can name, plugins too, or explain one of them.

    NAME is a family, such as attack, or a part, such as nearest or attack/nearest-v1.
    """
    from quintain import registry
    from quintain.cli.part_card import card

    known = registry.families()
    if name is None or name in known:
        for family in [name] if name else known:
            for part in registry.parts(family):
                if goal is None or _is_about(part, goal):
                    click.echo(f"{part.id:<36} {part.summary()}")
        for reason in registry.left_out():
            click.echo(f"left out: {reason}", err=True)
        return
    click.echo("\n\n".join(card(part) for part in _parts_named(name)))


def _is_about(part: type[Part], goal: str) -> bool:
    """Whether a part answers questions about a goal, or measures the answers."""
    from quintain import registry
    from quintain.attacks.attack import Attack
    from quintain.guesses import Goal
    from quintain.measures import GuessMeasure

    wanted = registry.find("goal", goal)
    assert issubclass(wanted, Goal)  # it is registered as one
    if issubclass(part, Attack):
        return issubclass(wanted.asks, part.answers)
    return issubclass(part, GuessMeasure) and issubclass(wanted, part.reads_goal)


def _parts_named(name: str) -> list[type[Part]]:
    """The parts of that name, whatever their family."""
    from quintain import registry
    from quintain.errors import PartError
    from quintain.wording.suggestion import suggestion

    family, slash, rest = name.partition("/")
    if slash and family in registry.families():
        return [registry.find(family, rest)]
    bare = name.rpartition("-v")[0] if name.rpartition("-v")[2].isdecimal() else name
    by_family = {family: registry.names(family) for family in registry.families()}
    having = [family for family, names in by_family.items() if bare in names]
    if not having:
        every = [*by_family, *(known for names in by_family.values() for known in names)]
        missing = "".join(f"; {reason}" for reason in registry.left_out())
        raise PartError(f"unknown family or part {name!r}{missing}{suggestion(name, every)}")
    return [registry.find(family, name) for family in having]


@click.command(
    epilog=examples(
        "quintain editions", "quintain editions tiny", "quintain editions tiny > my.toml"
    )
)
@click.argument("name", required=False)
def editions(name: str | None) -> None:
    """List the editions that come with quintain, or print the file of one."""
    from quintain.contests import builtin_names, load
    from quintain.contests.loading.load import builtin_text

    if name is not None:
        click.echo(builtin_text(name), nl=False)
        return
    for known in builtin_names():
        click.echo(f"{known:<20} {load(known).title}")


@click.group(
    invoke_without_command=True,
    epilog=examples(
        "quintain schema edition > edition.schema.json",
        "quintain schema learn table.csv",
        "quintain schema learn tables/",
    ),
)
@click.pass_context
def schema(context: click.Context) -> None:
    """Print the schema of edition files, or learn the schema of your own tables.

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
        "quintain schema learn tables/ > people.json",
        "quintain schema learn tables.zip --person patient_id > people.json",
        "quintain schema learn sqlite:///hospital.db > people.json",
    )
)
@click.argument("table", type=click.Path(), callback=options.tables)
@click.option(
    "--shape",
    metavar="NAME",
    default="table",
    show_default=True,
    help="table: one row per person; transactions: many rows per person, each with a time; series: "
    "a series of numbers for each person; or a shape of a plugin.",
)
@click.option(
    "--role",
    "given",
    multiple=True,
    metavar="COLUMN=ROLE",
    help="What a column is for: person, household, customer, time, item, secret; may be repeated.",
)
@click.option(
    "--person",
    metavar="COLUMN",
    show_default="as names and contents say",
    help="For several tables, or many rows per person in one: the column that names people, as "
    "COLUMN or FILE.COLUMN.",
)
@options.header
@options.memory
@options.decimal_mark
def learn(
    table: Path | str, shape: str, given: tuple[str, ...], person: str | None, header: bool | None
) -> None:
    """Learn the schema of TABLE, a CSV, Parquet or Excel file, from its cells.

    It prints the schema, to be edited and put beside the edition file, and on the error output why
    each column is what it is. A learned domain reveals what is in the data.

    TABLE may also be a folder or a zip archive with one such file per table. Then the schema says
    how the tables belong to people (quintain.schema/2), with the reason of each key, reference and
    order. So it does for the address of a database, such as sqlite:///hospital.db.
    """
    from quintain.data.learning.learn import CAUTION
    from quintain.data.people_files import has_tables

    if isinstance(table, str) or has_tables(table) or person is not None:
        if shape != "table" or given:
            raise click.UsageError("--shape and --role are for a single table without --person")
        _learn_people(table, person, header)
    else:
        _learn_table(table, shape, dict(_role(text) for text in given), header)
    click.echo(f"\n{CAUTION}", err=True)


def _learn_table(table: Path, shape: str, roles: dict[str, str], header: bool | None) -> None:
    from quintain.data.learning.input_table import InputTable
    from quintain.data.learning.learn import learn as learn_table

    learned = learn_table(InputTable.of(table, header=header), shape=shape, roles=roles)
    click.echo(learned.to_json(), nl=False)
    _explain(learned.tables[0], learned.decisions)


def _learn_people(source: Path | str, person: str | None, header: bool | None) -> None:
    from quintain.data.learning.people import learn_people
    from quintain.data.people_files import open_tables

    with open_tables(source, header=header) as tables:
        learned = learn_people(tables, person)
        lost = _lost_rows(learned.schema, tables)
    click.echo(learned.to_json(), nl=False)
    click.echo(f"people: {learned.who}", err=True)
    for table in learned.tables:
        click.echo(err=True)
        _explain(table.described, table.decisions, (table.place, table.order))
    for name, reason in learned.left_out.items():
        click.echo(f"\n{name}: left out: {reason}", err=True)
    if lost:
        click.echo(f"\nmend these first, audits and contests refuse such tables:\n{lost}", err=True)


def _lost_rows(schema: PeopleSchema, tables: Mapping[str, InputTable]) -> str:
    """The rows whose key or reference does not fit, a line each; empty if all fit."""
    from quintain.data.people import read_owners
    from quintain.errors import DataError

    try:
        read_owners(schema, tables)
    except DataError as error:
        return str(error)
    return ""


def _role(text: str) -> tuple[str, str]:
    column, sign, role = text.rpartition("=")
    if not sign or not column or not role:
        raise click.BadParameter(f"expected COLUMN=ROLE, got {text!r}")
    return column, role


def _explain(
    table: DescribedTable, decisions: Sequence[Decision], place: Sequence[str] = ()
) -> None:
    """Say why each column is what it is, and where the table belongs."""
    click.echo(f"{table.name}: {table.rows} rows; {table.form}", err=True)
    for sentence in place:
        click.echo(f"  {sentence}", err=True)
    width = max(len(decision.name) for decision in decisions)
    for decision in decisions:
        kind = "-" if decision.column is None else decision.column.kind
        click.echo(f"  {decision.name:<{width}}  {kind:<8}  {decision.reason}", err=True)
