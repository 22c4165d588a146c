"""The command ``compare``: sanitizers and releases beside each other, in repetitions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintain.cli import options, outputs
from quintain.cli.display import number, print_columns, probability, progress
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.api.comparing import ShownComparison
    from quintain.jobs.executor import Executor
    from quintain.measures import Reading

File = click.Path(exists=True, dir_okay=False, path_type=Path)
NUMBERS, READINGS, REPORT = "comparison.json", "readings.csv", "report.html"
MOST = 20
"""How many differences are printed."""


@click.command(
    epilog=examples(
        "quintain compare 'mst epsilon=1' 'mst epsilon=10' --data people.csv",
        "quintain compare 'mst epsilon=1' 'privbayes epsilon=1' --data people.csv "
        "--repetitions 20 --out compared",
        "quintain compare ours.csv theirs.csv --data original.csv --control control.csv",
        "quintain compare 'sdv: python sdv_program.py {requests}' 'rr keep=0.5' "
        "--data people.csv --attack tree-ratio --attack nearest",
    )
)
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@click.option(
    "--data",
    required=True,
    type=File,
    help="The people; with --control, those in the original.",
)
@click.option(
    "--control",
    type=File,
    help="People of the same population who are not in the data; releases need it.",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME",
    show_default="those of quintain audit release",
    help="An attack on membership; see quintain parts attack. May be repeated.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(2),
    default=10,
    show_default=True,
    help="How many repetitions; more of them show smaller differences.",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    show_default=True,
    help="Without --control: the share of the people that each split makes the control.",
)
@click.option(
    "--schema",
    type=File,
    show_default="learned from the tables",
    help="The columns: a schema of ours, or metadata of other tools.",
)
@options.header
@options.memory
@options.decimal_mark
@click.option("--seed", type=int, default=0, show_default=True, help="The seed that repeats it.")
@options.executor
@options.as_json
@click.option(
    "--out",
    type=outputs.NewFolder(NUMBERS, READINGS, REPORT),
    help=f"A folder for {NUMBERS}, {READINGS} and {REPORT}; stopped work goes on from there.",
)
@outputs.replace
def compare(
    entries: tuple[str, ...],
    data: Path,
    control: Path | None,
    attacks: tuple[str, ...],
    repetitions: int,
    share: float,
    schema: Path | None,
    header: bool | None,
    seed: int,
    executor: Executor,
    as_json: bool,
    out: Path | None,
) -> None:
    """Compare sanitizers and releases under the same attacks, with the same people, repeatedly.

    An ENTRY is the file of a release; or a sanitizer in quotes, with its parameters: 'mst
    epsilon=1'; or a command of another maker, as for quintain audit sanitizer. 'NAME: ENTRY' gives
    it a name.

    Without --control, every repetition splits the people at random into an original, which all
    sanitizers get, and a control. With --control, every repetition runs the sanitizers anew and
    asks about another part of the people, and files can take part.

    Differences between entries are those within repetitions (paired t-test), and their p-values are
    corrected for their number (Holm). The table says which of them could be luck.
    """
    from quintain.api.comparing import ShownComparison, contenders
    from quintain.audits.comparison import compare as run

    with progress():
        comparison = run(
            contenders(entries),
            data,
            control,
            schema=schema,
            header=header,
            attacks=attacks,
            repetitions=repetitions,
            share=share,
            seed=seed,
            executor=executor,
            out=out,
            command=_command(
                entries, data, control, attacks, repetitions, share, schema, header, seed
            ),
        )
    compared = ShownComparison(comparison)
    if as_json:
        click.echo(compared.to_json())
    else:
        _show(compared)
    for name in (NUMBERS, READINGS, REPORT) if out else ():
        assert out is not None  # there are no names otherwise
        compared.save(out / name, replace=outputs.may_replace())
        click.echo(f"written: {out / name}", err=as_json)


def _command(
    entries: tuple[str, ...],
    data: Path,
    control: Path | None,
    attacks: tuple[str, ...],
    repetitions: int,
    share: float,
    schema: Path | None,
    header: bool | None,
    seed: int,
) -> str:
    """The command that repeats the comparison; file names without folders, which are private."""
    plain = [Path(entry).name if Path(entry).is_file() else entry for entry in entries]
    words = ["quintain", "compare", *plain, "--data", data.name]
    words += [] if control is None else ["--control", control.name]
    words += [word for attack in attacks for word in ("--attack", attack)]
    words += ["--repetitions", str(repetitions)]
    words += ["--share", str(share)] if control is None else []
    words += [] if schema is None else ["--schema", schema.name]
    words += [] if header is None else ["--header" if header else "--no-header"]
    return options.repeat_line([*words, "--seed", str(seed)])


def _show(compared: ShownComparison) -> None:
    from quintain.audits.report.comparison_view import headline

    comparison = compared.comparison
    columns = {"attacker": list(comparison.attacks)} | {
        entry.name: [
            _reading(comparison.cell(entry.name, attack).reading) for attack in comparison.attacks
        ]
        for entry in comparison.entries
    }
    print_columns(
        f"AUC, mean of {comparison.repetitions} repetitions with 95 % intervals",
        columns,
        caption="chance is 0.5, lower is better",
    )
    shown = comparison.differences[:MOST]
    print_columns(
        "Differences within repetitions: the first less the second",
        {
            "attacker": [difference.attack for difference in shown],
            "first": [difference.first for difference in shown],
            "second": [difference.second for difference in shown],
            "difference": [_reading(difference.reading) for difference in shown],
            "corrected p": [probability(difference.adjusted_p) for difference in shown],
            "says": [
                "more than luck" if difference.more_than_luck else "could be luck"
                for difference in shown
            ],
        },
        caption=None,
    )
    if len(comparison.differences) > len(shown):
        click.echo(f"and {len(comparison.differences) - len(shown)} more; --json lists all of them")
    click.echo(headline(comparison))
    for missing in comparison.not_computed:
        click.echo(f"not computed: {missing.what}: {missing.reason}")
    click.echo("What these figures do not say:")
    for limit in comparison.limits:
        click.echo(f"  {limit}")


def _reading(reading: Reading) -> str:
    if not reading.measured:
        return "not measured"
    return f"{number(reading.value)} [{number(reading.low)}, {number(reading.high)}]"
