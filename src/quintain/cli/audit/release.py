"""The command ``audit release``: what does a release give away?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options, outputs
from quintain.cli.display import progress
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.jobs.executor import Executor

File = click.Path(exists=True, dir_okay=False, path_type=Path)


def _columns(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Names of columns, separated by commas; an option with a name that has a comma is repeated."""
    if len(given) == 1:
        return tuple(name.strip() for name in given[0].split(",") if name.strip())
    return given or None


@click.command(
    epilog=examples(
        "quintain audit release --original o.csv --release r.csv --control c.csv",
        "quintain audit release --original o.csv --release r.csv --control c.csv --out report",
        "quintain audit release --original o.csv --release r.csv --knows age,zip --secrets illness",
        "quintain audit release --original o.csv --release r.csv --control c.csv --unit patient",
        "quintain audit release --original tables/ --release r/ --control c/ --out report",
        "quintain audit release --original o.csv --release r.csv --json --fail-on some-leakage",
        "quintain audit release --original o.csv --release r.csv --control c.csv "
        "--dossier dossier.html --recipient 'researchers under contract'",
    )
)
@click.option(
    "--original",
    required=True,
    type=click.Path(),
    callback=options.tables,
    help="The private table: CSV, Parquet or Excel; for several tables about people a folder or a "
    "zip archive of them, or the address of a database.",
)
@click.option(
    "--release",
    required=True,
    type=click.Path(),
    callback=options.tables,
    help="The sanitized table, or folder, archive or database.",
)
@click.option(
    "--control",
    type=click.Path(),
    callback=options.tables,
    help="People of the same population who are not in the original; see quintain audit split.",
)
@click.option(
    "--schema",
    type=File,
    show_default="learned from all tables",
    help="The columns: a schema of ours, or metadata of other tools. For several tables: "
    "people.json of quintain schema learn.",
)
@click.option(
    "--knows",
    multiple=True,
    metavar="COLUMN,...",
    callback=_columns,
    show_default="all others",
    help="What attackers know of a person whose secret they guess.",
)
@click.option(
    "--secrets",
    multiple=True,
    metavar="COLUMN,...",
    callback=_columns,
    show_default="each in turn",
    help="What attackers guess.",
)
@click.option(
    "--unit",
    metavar="COLUMN",
    show_default="every row is a person",
    help="The column that says whose row it is, if people have several rows; equal-rows if equal "
    "rows are one person's. For several tables: the column that names people.",
)
@click.option(
    "--key",
    type=File,
    help="With --unit, or for several tables: a table of the people and their pseudonyms, to count "
    "right names.",
)
@click.option(
    "--folds",
    type=int,
    metavar="K",
    help="To publish everybody, without a control: says which command to use instead.",
)
@click.option(
    "--as-written",
    is_flag=True,
    help="Compare all columns as written: match no spellings, prefixes, dates, units or codes.",
)
@click.option(
    "--population",
    type=click.IntRange(1),
    metavar="N",
    help="How many people the data are drawn from, to estimate how many are alone in it.",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME",
    help="An attack to add, of ours or of a plugin; see quintain parts attack. May be repeated.",
)
@options.header
@options.memory
@options.decimal_mark
@options.as_json
@click.option(
    "--out",
    type=outputs.NewFolder(),
    help="An empty or new folder for audit.json and report.html.",
)
@options.dossier
@outputs.replace
@options.recipient
@options.means
@options.fail_on
@click.option(
    "--show-exposed",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    show_default=True,
    help="List the N most exposed people with their records.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed that repeats it.")
@options.executor
def release(
    original: Path | str,
    release: Path | str,
    control: Path | str | None,
    schema: Path | None,
    knows: tuple[str, ...] | None,
    secrets: tuple[str, ...] | None,
    unit: str | None,
    key: Path | None,
    folds: int | None,
    as_written: bool,
    population: int | None,
    attacks: tuple[str, ...],
    header: bool | None,
    as_json: bool,
    out: Path | None,
    dossier: Path | None,
    recipient: str,
    means: str,
    fail_on: str | None,
    show_exposed: int,
    seed: int,
    executor: Executor,
) -> None:
    """Audit a release: what does it give away about the people in the original?

    Attackers look at the release and at people who are in the original, and at people of the
    control, who are not. If they find out more about the former, the release gives something away.
    The verdict is unsafe, some-leakage, nothing-found, or cannot-say.

    The exit code is 0, whatever the verdict, unless --fail-on is given. Several workers share the
    work on large tables only; the figures do not depend on how many there are.
    """
    from quintain.audits.release import audit_release
    from quintain.cli.audit.summary import hand_over, recipient_of, require_dossier

    if folds is not None:
        raise click.UsageError(_everybody(original, release, unit, folds))
    require_dossier(dossier)
    with progress():
        audit = audit_release(
            original,
            release,
            control,
            schema=schema,
            known=knows,
            secrets=secrets,
            unit=unit,
            key=key,
            header=header,
            as_written=as_written,
            population=population,
            seed=seed,
            show_exposed=show_exposed,
            attacks=attacks,
            recipient=recipient_of(recipient, means),
            executor=executor,
            command=_command(
                original,
                release,
                control,
                schema,
                knows,
                secrets,
                unit,
                key,
                as_written,
                population,
                attacks,
                header,
                seed,
            ),
        )
    hand_over(audit, out, as_json=as_json, fail_on=fail_on, dossier=dossier)


def _everybody(original: Path | str, release: Path | str, unit: str | None, folds: int) -> str:
    """Where to go with --folds: the sanitizer has to run again, so its name is needed."""
    words = ["quintain", "audit", "everybody", "SANITIZER", "--data", str(original)]
    words += ["--release", str(release), "--folds", str(folds)]
    words += [] if unit is None else ["--unit", unit]
    return (
        "--folds runs the sanitizer again, each time without some people, and needs no control. "
        f"Say which sanitizer it is: {shlex.join(words)}"
    )


def _command(
    original: Path | str,
    release: Path | str,
    control: Path | str | None,
    schema: Path | None,
    knows: tuple[str, ...] | None,
    secrets: tuple[str, ...] | None,
    unit: str | None,
    key: Path | None,
    as_written: bool,
    population: int | None,
    attacks: tuple[str, ...],
    header: bool | None,
    seed: int,
) -> str:
    """The command that repeats the audit; file names without folders, which are private."""
    from quintain.data.people_files import source_name

    words = ["quintain", "audit", "release", "--original", source_name(original)]
    words += ["--release", source_name(release)]
    for option, path in (("--control", control), ("--schema", schema)):
        words += [] if path is None else [option, source_name(path)]
    for option, names in (("--knows", knows), ("--secrets", secrets)):
        repeated = names is not None and any("," in name for name in names)
        words += [] if names is None or repeated else [option, ",".join(names)]
        words += [word for name in names or () if repeated for word in (option, name)]
    words += [] if unit is None else ["--unit", unit]
    words += [] if key is None else ["--key", key.name]
    words += ["--as-written"] if as_written else []
    words += [] if population is None else ["--population", str(population)]
    words += [word for name in attacks for word in ("--attack", name)]
    words += [] if header is None else ["--header" if header else "--no-header"]
    return options.repeat_line([*words, "--seed", str(seed)])
