"""The command ``audit sanitizer``: many runs with and without some people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quintain.cli import options, outputs
from quintain.cli.display import number, print_columns, progress
from quintain.cli.groups import examples

if TYPE_CHECKING:
    from quintain.audits.results import SanitizerAudit, Setting
    from quintain.jobs.executor import Executor
    from quintain.measures import Reading
    from quintain.releases import Claim
    from quintain.sanitizers import Sanitizer
    from quintain.sanitizers.mechanism import DomainSource


def _sweep(_ctx: click.Context, _option: click.Parameter, given: str | None) -> dict[str, Any]:
    """``epsilon=0.1,1,10`` as the name and the values of one parameter."""
    if given is None:
        return {}
    name, sign, values = given.partition("=")
    if not sign or not name or not all(values.split(",")):
        raise click.BadParameter(f"expected NAME=VALUE,VALUE,..., got {given!r}")
    return {name: [_value(text) for text in values.split(",")]}


def _claims(_ctx: click.Context, _option: click.Parameter, given: str | None) -> Claim | None:
    """``1``, or ``epsilon=1,delta=1e-6``, as a claim."""
    from quintain.errors import DataError
    from quintain.releases import make_claim

    if given is None:
        return None
    parts = (given if "=" in given else f"epsilon={given}").split(",")
    facts = {name.strip(): value.strip() for name, _, value in (p.partition("=") for p in parts)}
    try:
        return make_claim(facts)
    except DataError as error:
        raise click.BadParameter(str(error)) from None


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


@click.command(
    epilog=examples(
        "quintain audit sanitizer mst --data people.csv --set epsilon=1",
        "quintain audit sanitizer mst --data people.csv --sweep epsilon=0.1,1,10 --out audited",
        "quintain audit sanitizer rr --data people.csv --set keep=0.5 --runs 1000 --json",
        "quintain audit sanitizer 'python tool.py {input} {output}' --data people.csv --claims 1",
        "quintain audit sanitizer 'python tool.py {requests}' --data people.csv --set epsilon=1",
    )
)
@click.argument("name", metavar="SANITIZER")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="The private data: a CSV, Parquet or Excel file, or a folder with several tables.",
)
@click.option(
    "--schema",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    show_default="domains are part of the audit",
    help="The columns and their domains.",
)
@options.domain
@options.header
@options.memory
@options.decimal_mark
@options.parameters
@click.option(
    "--sweep",
    metavar="NAME=VALUE,...",
    callback=_sweep,
    help="Try several values of one parameter, and compare privacy with utility.",
)
@click.option(
    "--runs",
    type=int,
    show_default="as many as take a minute, from 100 to 10,000",
    help="How often the sanitizer runs for each value; more runs can show more.",
)
@click.option(
    "--targets",
    type=int,
    show_default="a tenth of the people, 1,000 at most",
    help="How many average people the attacks look for, beside those who stand out.",
)
@click.option(
    "--attacks/--no-attacks",
    default=True,
    show_default=True,
    help="Also run the attacks of the contests, two of which run the sanitizer themselves.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Repeats the audit.")
@options.executor
@options.as_json
@click.option(
    "--out",
    type=outputs.NewFolder(outputs.NUMBERS, outputs.REPORT),
    help="A folder for the result and for what was seen; a stopped audit goes on from there.",
)
@outputs.replace
@options.fail_on
@click.option(
    "--claims",
    metavar="EPSILON",
    callback=_claims,
    help="The epsilon that the maker claims, if the sanitizer does not say so itself; or more of "
    "the claim: epsilon=1,delta=1e-6,neighbours=replace,unit=household,rows=5.",
)
def sanitizer(
    name: str,
    data: Path,
    schema: Path | None,
    domain: DomainSource | None,
    header: bool | None,
    parameters: dict[str, Any],
    sweep: dict[str, Any],
    runs: int | None,
    targets: int | None,
    attacks: bool,
    seed: int,
    executor: Executor,
    as_json: bool,
    out: Path | None,
    fail_on: str | None,
    claims: Claim | None,
) -> None:
    """Run SANITIZER many times with and without some people, and see what its releases tell.

    SANITIZER is one of quintain parts sanitizer, or a command of another maker in quotes: with
    {input} and {output} in the place of two Parquet files, or with {requests} if the program
    starts once and reads one request per line. --set and --sweep give parameters to both.

    Each run is a whole call: the data are read, a schema is learned from them unless --schema
    states it, and attacks see the release, its card and all warnings. They say whether one person
    was in the data. How often they are right proves how much the sanitizer gives away at least, as
    a lower bound on its epsilon. If that is above the epsilon that it claims, its claim is wrong.
    In a second game coins decide who is in the data, and it is seen how average people fare.
    """
    from quintain.audits.private_file import read_private
    from quintain.audits.sanitizer import announce_work, audit_sanitizer

    part = sanitizer_part(name, parameters, sweep)
    with progress():
        announce_work(data, runs, sweep, header=header)
        private = read_private(data, schema, header=header, sanitizer=part)
        audit = audit_sanitizer(
            part,
            private.data,
            runs=runs,
            targets=targets,
            sweep=sweep,
            attacks=attacks,
            seed=seed,
            executor=executor,
            out=out,
            claim=claims,
            unstated=private.unstated,
            domain=domain,
            records=private.records,
            inputs=(private.facts,),
        )
    command = _command(
        name, data, schema, domain, parameters, sweep, audit.runs, targets, attacks, seed, claims
    )
    audit = audit.model_copy(update={"command": command})
    if out is not None:
        _write(out, audit)
    if as_json:
        click.echo(audit.model_dump_json(indent=2))
    else:
        _show(audit)
    options.end_with(audit.verdict, fail_on)


def sanitizer_part(
    name: str, parameters: dict[str, Any], sweep: dict[str, Any] | None = None
) -> Sanitizer:
    """A part by its name, or a command of another maker."""
    from quintain.api.parts import choose_sanitizer

    first = {key: values[0] for key, values in (sweep or {}).items()}
    return choose_sanitizer(name, {**parameters, **first})


def _write(out: Path, audit: SanitizerAudit) -> None:
    from quintain.audits.report.page import sanitizer_page

    numbers, page = audit.model_dump_json(indent=2) + "\n", sanitizer_page(audit)
    contents = {outputs.NUMBERS: numbers.encode(), outputs.REPORT: page.encode()}
    outputs.write_folder(out, contents)
    for name in contents:
        click.echo(f"written: {out / name}", err=True)


def _command(
    name: str,
    data: Path,
    schema: Path | None,
    domain: DomainSource | None,
    parameters: dict[str, Any],
    sweep: dict[str, Any],
    runs: int,
    targets: int | None,
    attacks: bool,
    seed: int,
    claims: Claim | None,
) -> str:
    """The command that repeats the audit; file names without folders, which are private."""
    words = ["quintain", "audit", "sanitizer", name, "--data", data.name]
    words += [] if schema is None else ["--schema", schema.name]
    words += [] if domain is None else ["--domain", domain]
    for key, value in parameters.items():
        words += ["--set", f"{key}={value}"]
    for key, values in sweep.items():
        words += ["--sweep", f"{key}={','.join(map(str, values))}"]
    words += ["--runs", str(runs)]
    words += [] if targets is None else ["--targets", str(targets)]
    words += [] if attacks else ["--no-attacks"]
    if claims is not None:
        facts = claims.model_dump(exclude_defaults=True)
        claimed = ",".join(f"{name}={value}" for name, value in facts.items())
        words += ["--claims", claimed.removeprefix("epsilon=") if len(facts) == 1 else claimed]
    return options.repeat_line([*words, "--seed", str(seed)])


def _show(audit: SanitizerAudit) -> None:
    click.echo(f"verdict: {audit.verdict}")
    for reason in audit.reasons:
        click.echo(f"  {reason}")
    for setting in audit.settings:
        _show_bounds(audit, setting)
    _show_readings(audit)
    _show_utility(audit)
    for missing in audit.not_computed:
        click.echo(f"not computed: {missing.what}: {missing.reason}")
    click.echo("What this verdict does not cover:")
    for limit in audit.limits:
        click.echo(f"  {limit}")


def _show_bounds(audit: SanitizerAudit, setting: Setting) -> None:
    chosen = ", ".join(f"{name} {value}" for name, value in setting.parameters.items())
    claim = "nothing claimed" if setting.claim is None else f"claimed: {setting.claim.words()}"
    measured = [bound for bound in setting.bounds if bound.bound.measured]
    columns: dict[str, list[str]] = {
        "method": [bound.method for bound in measured],
        "people": [bound.target for bound in measured],
        "attack": [bound.attack for bound in measured],
        "epsilon is at least": [number(bound.bound.value) for bound in measured],
        "level": [f"{100 * bound.bound.level:.4g} %" for bound in measured],
        "a perfect attack shows": [number(bound.ceiling) for bound in measured],
        "decides": ["yes" if bound.decides else "" for bound in measured],
    }
    if setting.refutes is not None:
        columns["best possible attack refutes from"] = [
            number(setting.refutes) if bound.target == "neighbours" else "" for bound in measured
        ]
    title = f"Epsilon of {audit.sanitizer}" + (f" with {chosen}" if chosen else "")
    print_columns(f"{title} ({claim})", columns, caption=None)


def _show_readings(audit: SanitizerAudit) -> None:
    columns: dict[str, list[str]] = {
        "attack": [finding.attack for finding in audit.readings],
        "AUC": [number(finding.reading.value) for finding in audit.readings],
        "95 % interval": [_interval(finding.reading) for finding in audit.readings],
        "about": [
            finding.says.partition(".")[0].removeprefix("About ") for finding in audit.readings
        ],
    }
    print_columns("Who is in the data? Chance is 0.5, lower is better", columns, caption=None)


def _show_utility(audit: SanitizerAudit) -> None:
    """One line per setting: the frontier of privacy and utility."""
    if not any(setting.utility for setting in audit.settings):
        return
    first = audit.settings[0]
    columns: dict[str, list[str]] = {
        name: [str(s.parameters[name]) for s in audit.settings] for name in first.parameters
    }
    columns["AUC"] = [number(setting.privacy.value) for setting in audit.settings]
    for place, finding in enumerate(first.utility):
        better = "higher" if finding.reading.better == "higher" else "lower"
        head = f"{finding.name} ({better} is better)"
        columns[head] = [number(s.utility[place].reading.value) for s in audit.settings]
    print_columns("Privacy and utility", columns, caption=None)


def _interval(reading: Reading) -> str:
    return f"{number(reading.low)} to {number(reading.high)}" if reading.measured else ""
