"""The command ``audit everybody``: a release about all people, without a control."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options, outputs
from quintain.cli.display import progress
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.sanitizers.mechanism import DomainSource

File = click.Path(exists=True, dir_okay=False, path_type=Path)
Tables = click.Path(exists=True, path_type=Path)


@click.command(
    epilog=examples(
        "quintain audit everybody mst --data people.csv --release r.csv --set epsilon=1",
        "quintain audit everybody mst --data people.csv --release r.csv --folds 10 --out audited",
        "quintain audit everybody 'python tool.py {input} {output}' --data o.csv --release r.csv",
        "quintain audit everybody mst --data visits.csv --release r.csv --unit patient",
        "quintain audit everybody family-resampling --data clinic --release released",
    )
)
@click.argument("name", metavar="SANITIZER")
@click.option(
    "--data",
    required=True,
    type=Tables,
    help="Everybody: CSV, Parquet or Excel; a folder or zip archive with one file per table.",
)
@click.option(
    "--release",
    required=True,
    type=Tables,
    help="What SANITIZER made from everybody: the file or folder to publish.",
)
@options.parameters
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    metavar="K",
    help="How often SANITIZER runs; each person is left out once.",
)
@click.option(
    "--schema",
    type=File,
    show_default="learned from the tables",
    help="The columns: a schema of ours, or metadata of other tools.",
)
@options.domain
@click.option(
    "--unit",
    metavar="COLUMN",
    show_default="every row is a person",
    help="The column that says whose row it is, if people have several rows; of a folder, the "
    "column that names people.",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME",
    help="An attack on membership to add; see quintain parts attack. May be repeated.",
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
@click.option("--seed", type=int, default=0, show_default=True, help="The seed that repeats it.")
def everybody(
    name: str,
    data: Path,
    release: Path,
    parameters: dict[str, Any],
    folds: int,
    schema: Path | None,
    domain: DomainSource | None,
    unit: str | None,
    attacks: tuple[str, ...],
    header: bool | None,
    as_json: bool,
    out: Path | None,
    dossier: Path | None,
    recipient: str,
    means: str,
    fail_on: str | None,
    seed: int,
) -> None:
    """Audit a release about everybody, for whom there is no control.

    SANITIZER is one of quintain parts sanitizer, or a command of another maker in quotes: with
    {input} and {output} in the place of two Parquet files, or with {requests} if the program
    starts once and reads one request per line. It must be what made the release, with the same
    settings.

    People are dealt at random into K folds, and SANITIZER runs once without each of them. Attacks
    score everybody with each of these releases. If people show more in the releases that saw them,
    the sanitizer gives something away. The release itself is searched for copies and near copies.

    The exit code is 0, whatever the verdict, unless --fail-on is given.
    """
    from quintain.audits.everybody import audit_everybody
    from quintain.cli.audit.sanitizer import sanitizer_part
    from quintain.cli.audit.summary import hand_over, recipient_of, require_dossier

    require_dossier(dossier)
    part = sanitizer_part(name, parameters)
    with progress():
        audit = audit_everybody(
            part,
            data,
            release,
            folds=folds,
            schema=schema,
            domain=domain,
            unit=unit,
            header=header,
            seed=seed,
            attacks=attacks,
            command=_command(
                name, data, release, parameters, folds, schema, domain, unit, attacks, header, seed
            ),
        )
    audit = audit.model_copy(update={"recipient": recipient_of(recipient, means)})
    hand_over(audit, out, as_json=as_json, fail_on=fail_on, dossier=dossier)


def _command(
    name: str,
    data: Path,
    release: Path,
    parameters: dict[str, Any],
    folds: int,
    schema: Path | None,
    domain: DomainSource | None,
    unit: str | None,
    attacks: tuple[str, ...],
    header: bool | None,
    seed: int,
) -> str:
    """The command that repeats the audit; file names without folders, which are private."""
    words = ["quintain", "audit", "everybody", name, "--data", data.name, "--release", release.name]
    for key, value in parameters.items():
        words += ["--set", f"{key}={value}"]
    words += ["--folds", str(folds)]
    words += [] if schema is None else ["--schema", schema.name]
    words += [] if domain is None else ["--domain", domain]
    words += [] if unit is None else ["--unit", unit]
    words += [word for attack in attacks for word in ("--attack", attack)]
    words += [] if header is None else ["--header" if header else "--no-header"]
    return options.repeat_line([*words, "--seed", str(seed)])
