"""Summary: an audit in a few lines and a table, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

import click

from quintain.audits.report.risk_view import strongest
from quintain.audits.report.words import classes_words, copies_words
from quintain.audits.results import Recipient, ReleaseAudit
from quintain.cli import options, outputs
from quintain.cli.display import number, print_columns, probability
from quintain.measures import Reading
from quintain.wording.printable import escape_line


def write_audit(audit: ReleaseAudit, folder: Path) -> tuple[Path, ...]:
    """Write the numbers and the report, readable for their owner alone."""
    from quintain.audits.report.page import release_page

    numbers, page = audit.model_dump_json(indent=2) + "\n", release_page(audit)
    contents = {outputs.NUMBERS: numbers.encode(), outputs.REPORT: page.encode()}
    outputs.write_folder(folder, contents)
    return tuple(folder / name for name in contents)


def recipient_of(who: str, means: str) -> Recipient | None:
    """For whom a release is; None if nobody said it."""
    return Recipient(who=who, means=means) if who or means else None


def require_dossier(path: Path | None) -> None:
    """Raise if nobody can tell how to write a dossier to this file."""
    from quintain.audits.report.dossier.formats import format_of

    if path is None:
        return
    format_of(path)


def write_dossier(audit: ReleaseAudit, path: Path) -> Path:
    """Write the dossier, readable for its owner alone."""
    from quintain.audits.report.dossier.dossier import make_dossier
    from quintain.audits.report.dossier.formats import format_of

    outputs.write_file(path, format_of(path)(make_dossier(audit)).encode())
    return path


def hand_over(
    audit: ReleaseAudit,
    out: Path | None,
    *,
    as_json: bool,
    fail_on: str | None,
    dossier: Path | None = None,
) -> None:
    """Write the files, print the audit, and end with a code if the verdict asks for it."""
    written = write_audit(audit, out) if out else ()
    if dossier is not None:
        written = (*written, write_dossier(audit, dossier))
    if as_json:
        click.echo(audit.model_dump_json(indent=2))
    else:
        print_summary(audit)
        if not out:
            click.echo("\nFor a report to read in a browser and to print, add --out DIRECTORY.")
    for path in written:
        click.echo(f"written: {path}", err=as_json)
    options.end_with(audit.verdict, fail_on)


MOST = 12
"""How many reasons why something was not computed are listed."""
_MEANING = {
    "unsafe": "the release harms people; do not publish it.",
    "some-leakage": "the release gives a little away{covered}; somebody has to decide.",
    "nothing-found": "no attack found anybody who stands out{covered}; that proves no safety.",
    "cannot-say": "this audit cannot tell whether the release is safe.",
}


def print_summary(audit: ReleaseAudit) -> None:
    """Print the verdict with its reasons, the risks, what is missing, and the limits."""
    meaning = _MEANING[audit.verdict].format(covered=audit.covered)
    click.echo(f"verdict: {audit.verdict}: {meaning}")
    _sentences(audit.reasons)
    p = f"not measured: {audit.no_p}" if audit.p is None else probability(audit.p)
    exposed = "people found at 1 % false positives, at most"
    if not audit.has_control:
        exposed = "people with copies or near copies, beyond chance"
    facts = {
        "p": [p, "probability of such evidence by chance"],
        "exposed share": [_reading_text(audit.exposed_share), exposed],
        "nameable records": [
            _reading_text(audit.nameable_records),
            "people whom attackers can name",
        ],
        "smallest detectable": [
            _reading_text(audit.smallest_detectable),
            "share of people that a leak must touch to be seen, if attacks can see it",
        ],
    }
    if audit.advantage is not None:
        advantage = [_reading_text(audit.advantage), "of attacks over chance, for the whole data"]
        facts |= {"advantage": advantage}
    click.echo("")
    for name, (value, says) in facts.items():
        better = "" if name == "p" else "; lower is better"
        click.echo(f"  {name:>20}  {value}  ({says}{better})")
    if audit.doubt:
        click.echo(f"  These figures are doubtful: {audit.doubt}.")
    if audit.histories is not None and audit.histories.says not in (*audit.reasons, *audit.limits):
        click.echo("")
        _sentences([audit.histories.says])
    if audit.laid_bare is not None:
        click.echo("")
        _sentences([copies_words(audit.laid_bare)])
    if audit.order is not None and audit.order.alarm:
        click.echo("")
        _sentences([audit.order.says])
    _print_risks(audit)
    if audit.matched:
        click.echo("\nwritten otherwise in the release, and matched:")
        _sentences(match.says for match in audit.matched[:MOST])
        if len(audit.matched) > MOST:
            click.echo(f"  and {len(audit.matched) - MOST} more; --json lists all of them")
    if audit.classes is not None:
        click.echo("\nclasses of the release:")
        _sentences(classes_words(audit.classes, control=audit.p is not None))
    if audit.not_computed:
        click.echo("\nnot computed:")
        reasons: dict[str, list[str]] = {}
        for missing in audit.not_computed:
            reasons.setdefault(missing.reason, []).append(missing.what)
        lines = [f"{', '.join(what)}: {reason}" for reason, what in reasons.items()]
        _sentences(lines[:MOST])
        if len(lines) > MOST:
            click.echo(f"  and {len(lines) - MOST} more; --json lists all of them")
    click.echo("\nlimits:")
    _sentences(audit.limits)
    if audit.exposed is not None:
        _print_exposed(audit)


def _sentences(texts: Iterable[str]) -> None:
    for text in texts:
        plain = escape_line(text)
        click.echo(textwrap.fill(plain, 96, initial_indent="  - ", subsequent_indent="    "))


def _print_risks(audit: ReleaseAudit) -> None:
    """The strongest attack of each risk, as in the report."""
    risks = dict.fromkeys(finding.risk for finding in audit.readings)
    chosen = [
        strongest([f for f in audit.readings if f.risk == risk], audit.may_be_luck)
        for risk in risks
    ]
    shown = [finding for finding in chosen if finding is not None]
    if not shown:
        return
    columns: dict[str, list[str]] = {
        "risk": [finding.risk for finding in shown],
        "attacker": [finding.attack for finding in shown],
        "reading": [finding.name for finding in shown],
        "value": [number(finding.reading.value) for finding in shown],
        "95 % interval": [_interval(finding.reading) for finding in shown],
        "chance": [number(finding.chance) for finding in shown],
        "control": [
            "" if finding.control is None else number(finding.control.value) for finding in shown
        ],
    }
    click.echo("")
    print_columns("The strongest attack of each risk", columns, caption="lower is better")


def _interval(reading: Reading) -> str:
    return "" if reading.low == reading.high else f"{number(reading.low)} to {number(reading.high)}"


def _reading_text(reading: Reading) -> str:
    if not reading.measured:
        return "not measured"
    ends = _interval(reading)
    return number(reading.value) + (f" [{ends}]" if ends else "")


def _print_exposed(audit: ReleaseAudit) -> None:
    click.echo("\nthe most exposed people, by row of the original (counted from 0):")
    for person in audit.exposed or ():
        values = ", ".join(f"{name}={value}" for name, value in person.values.items())
        click.echo(f"  row {person.row}, p {probability(person.p)}, {person.attack}: {values}")
