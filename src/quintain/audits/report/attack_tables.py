"""Attack tables: every finding of a risk, one table per reading, the strongest attacks first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from quintain.audits.report.risk_words import reading_words, risks_of
from quintain.audits.report.strongest import by_strength, could_be_luck, marks_of
from quintain.audits.results import Finding
from quintain.figures.risk_bar import common_scale, risk_dots, scale_ticks

SHOWN = 10
"""How many rows a table shows; the others are folded."""
_WIDTH = 190


@dataclass(frozen=True, slots=True)
class AttackRow:
    """One finding with its bar, and what is own of it alone."""

    finding: Finding
    bar: Markup
    luck: bool
    note: str


@dataclass(frozen=True, slots=True)
class AttackTable:
    """The findings of one reading.

    Parameters
    ----------
    title, says : the reading in a few words, and what it is.
    methods : how the intervals were computed.
    rows, folded : those that are shown at once, and the others.
    ticks : the scale of the bars.
    """

    title: str
    says: str
    better: str
    methods: list[str]
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
    for risk, words in risks_of(findings).items():
        own = [finding for finding in findings if finding.risk == risk]
        names = list(dict.fromkeys(finding.name for finding in own))
        if own:
            tables = [_table([f for f in own if f.name == name], p) for name in names]
            yield RiskSection(words.title, words.question, tables)


def _table(findings: Sequence[Finding], p: float | None) -> AttackTable:
    ordered = by_strength(findings)
    lucky = [could_be_luck(finding, p, len(ordered)) for finding in ordered]
    marks = [marks_of(f, luck=luck) for f, luck in zip(ordered, lucky, strict=True)]
    scale = common_scale(marks, _WIDTH)
    rows = [
        AttackRow(finding, risk_dots(mark, scale), luck, note)
        for finding, mark, luck, note in zip(ordered, marks, lucky, notes(ordered), strict=True)
    ]
    name, better = ordered[0].name, ordered[0].reading.better
    title, says = reading_words(name)
    methods = dict.fromkeys(f.reading.method for f in ordered if f.reading.method)
    shown = SHOWN if len(rows) > SHOWN + 2 else len(rows)
    return AttackTable(
        title,
        says or ordered[0].says,
        better,
        list(methods),
        rows[:shown],
        rows[shown:],
        scale_ticks(scale),
    )


def notes(findings: Sequence[Finding]) -> list[str]:
    """What each finding says that the others do not, apart from their numbers."""
    texts = [_sentences(finding) for finding in findings]
    shared = set.intersection(*({_shape(text) for text in one} for one in texts))
    return [" ".join(text for text in one if _shape(text) not in shared) for one in texts]


def _sentences(finding: Finding) -> list[str]:
    reading = finding.reading
    own = re.split(r"(?<=[.!?])\s+(?=[A-Z])", finding.says) if reading.measured else []
    return [*own, *([reading.note] if reading.note else [])]


def _shape(sentence: str) -> str:
    """A sentence without its numbers."""
    return re.sub(r"\d[\d,.]*", "#", sentence)
