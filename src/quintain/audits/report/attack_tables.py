"""Attack tables: every finding of a risk, one table per reading, the strongest attacks first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quintain.audits.finding import Finding
from quintain.audits.report.risk_words import RISKS, reading_words
from quintain.audits.report.strongest import by_strength, could_be_luck, marks_of
from quintain.figures.audit.risk_bar import common_scale, risk_dots, scale_ticks

SHOWN = 10
"""How many rows a table shows; the others are folded."""
_WIDTH = 190


@dataclass(frozen=True, slots=True)
class AttackRow:
    """One finding with its bar."""

    finding: Finding
    bar: Markup
    luck: bool


@dataclass(frozen=True, slots=True)
class AttackTable:
    """The findings of one reading.

    Parameters
    ----------
    title, says : the reading in a few words, and what it is.
    rows, folded : those that are shown at once, and the others.
    ticks : the scale of the bars.
    """

    title: str
    says: str
    name: str
    better: str
    rows: list[AttackRow]
    folded: list[AttackRow]
    ticks: Markup


@dataclass(frozen=True, slots=True)
class RiskSection:
    """A risk with the tables of its attacks."""

    title: str
    question: str
    tables: list[AttackTable]


def risk_sections(findings: Sequence[Finding], p: float | None) -> Iterator[RiskSection]:
    """Every risk that was attacked, with one table per reading."""
    for risk, words in RISKS.items():
        own = [finding for finding in findings if finding.risk == risk]
        names = list(dict.fromkeys(finding.name for finding in own))
        if own:
            tables = [_table([f for f in own if f.name == name], p) for name in names]
            yield RiskSection(words.title, words.question, tables)


def _table(findings: Sequence[Finding], p: float | None) -> AttackTable:
    ordered = by_strength(findings)
    marks = [marks_of(finding, p) for finding in ordered]
    scale = common_scale(marks, _WIDTH)
    rows = [
        AttackRow(finding, risk_dots(mark, scale), could_be_luck(finding, p))
        for finding, mark in zip(ordered, marks, strict=True)
    ]
    name, better = ordered[0].name, ordered[0].reading.better
    title, says = reading_words(name)
    folds = len(rows) > SHOWN + 2
    shown = SHOWN if folds else len(rows)
    return AttackTable(title, says, name, better, rows[:shown], rows[shown:], scale_ticks(scale))
