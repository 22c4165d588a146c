"""Risk view: one line of the first page per risk, and one table of attacks per reading.

The strongest attack of a risk has a sentence and a bar on the first page. The tables have every
finding, the strongest attacks first, and say which of them luck explains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from quintain.audits.report.words import (
    in_people,
    is_about,
    is_excess,
    reading_words,
    risks_of,
    shown_risks,
    words_of,
)
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import RiskWords
from quintain.figures.format import count
from quintain.figures.matrix import Chance
from quintain.figures.risk_bar import (
    RiskMarks,
    common_scale,
    risk_bar,
    risk_dots,
    scale_ticks,
    shares,
)
from quintain.measures import Reading

SHOWN = 10
"""How many rows a table shows; the others are folded."""


WIDTH = 240


_TABLE_WIDTH = 190


_UNMEASURED = "No attack of this audit measured this risk."


# --- the first page ---


@dataclass(frozen=True, slots=True)
class RiskView:
    """One risk on the first page.

    Parameters
    ----------
    status : "more than luck explains", "no more than luck explains" or "not measured"; with what
        is doubtful about it.
    css : how the status is drawn.
    sentence : what the strongest attack does to 100 people, or why nothing was measured.
    attack : which attack that is, of how many.
    bar : the drawing; None if nothing was measured.
    """

    words: RiskWords
    status: str
    css: str
    sentence: str
    attack: str = ""
    bar: Markup | None = None


def risk_views(
    findings: Sequence[Finding],
    not_computed: Sequence[NotComputed],
    all_luck: bool,
    unmeasured: str = _UNMEASURED,
    doubt: str = "",
) -> list[RiskView]:
    """The risks of the first page, in the order in which readers know them.

    Parameters
    ----------
    unmeasured : what is said of a risk without a figure if nothing else is known.
    doubt : what is wrong with the control, so that more than luck may be its difference.
    """
    risks = shown_risks(findings, not_computed)
    views = (_view(risk, findings, not_computed, all_luck) for risk in risks)
    return [
        replace(
            view,
            sentence=view.sentence or unmeasured,
            status=f"{view.status}; doubtful: {doubt}" if doubt and view.attack else view.status,
        )
        for view in views
    ]


def _view(
    risk: str, findings: Sequence[Finding], not_computed: Sequence[NotComputed], all_luck: bool
) -> RiskView:
    own = [finding for finding in findings if finding.risk == risk]
    worst = strongest(own, all_luck)
    if worst is None:
        return RiskView(words_of(risk), "not measured", "absent", _why(risk, own, not_computed))
    tried = sum(f.reading.measured and not is_excess(f.name) for f in own)
    luck = could_be_luck(worst, all_luck, tried)
    marks = replace(marks_of(worst, luck=luck), detectable=None)
    return RiskView(
        words_of(risk),
        "no more than luck explains" if luck else "more than luck explains",
        "calm" if luck else "alarm",
        in_people(worst),
        _attack(worst, own),
        risk_bar(marks, shares(WIDTH), f"risk-{risk}"),
    )


def _attack(worst: Finding, findings: Sequence[Finding]) -> str:
    tried = len({(finding.attack, finding.columns) for finding in findings})
    if tried == 1:
        return f"attack: {worst.attack}"
    return f"strongest of {count(tried, 'attack')}: {worst.attack}"


def _why(risk: str, findings: Sequence[Finding], not_computed: Sequence[NotComputed]) -> str:
    """Why there is no figure for a risk; empty if nobody says."""
    notes = [finding.reading.note for finding in findings if finding.reading.note]
    word = risk.replace("-", " ")
    notes += [
        left.reason
        for left in not_computed
        if is_about(left, words_of(risk)) or left.what.lower().startswith(word)
    ]
    if notes:
        return f"There is no figure: {notes[0]}"
    return ""


# --- which finding says most, and whether luck explains it ---


def control_of(finding: Finding) -> Reading | None:
    """What the same figure is for people outside the data; a difference to them has none."""
    control = finding.control
    if control is None or not control.measured or is_excess(finding.name):
        return None
    return control


def reference(finding: Finding) -> float:
    """What the reading would be without a leak: that of the control, and chance at least."""
    control = control_of(finding)
    known = [x for x in (finding.chance, control.value if control else None) if x is not None]
    worst = max if finding.reading.better == "lower" else min
    return worst(known, default=0.0)


def strength(finding: Finding) -> float:
    """How far a reading is from its reference, in half widths of its interval."""
    reading = finding.reading
    if not reading.measured:
        return -math.inf
    sign = 1.0 if reading.better == "lower" else -1.0
    gap = sign * (reading.value - reference(finding))
    end = reading.low if sign > 0 else reading.high
    half = abs(reading.value - end) if math.isfinite(end) else math.inf
    if math.isinf(gap):
        return gap
    return gap / half if half > 0 else math.copysign(math.inf, gap) if gap else 0.0


def could_be_luck(finding: Finding, all_luck: bool, tried: int = 1) -> bool:
    """Whether luck explains a finding: the test of the whole audit decides before the interval.

    Parameters
    ----------
    all_luck : whether the test of the whole audit says that luck explains all findings.
    tried : how many findings it is the strongest of; the interval is widen for them.
    """
    if all_luck or not finding.reading.measured or strength(finding) <= 0:
        return True
    reading, control = widen(finding.reading, tried), control_of(finding)
    beside = Chance(blind={} if control is None else {"": widen(control, tried)})
    blind = 0.0 if finding.chance is None and control is None else finding.chance
    return beside.explains("", reading) or Chance(value=blind).explains("", reading)


def widen(reading: Reading, tried: int) -> Reading:
    """A reading with the interval that holds for all of several together (Bonferroni).

    >>> one = Reading(value=0.5, low=0.4, high=0.6, n=100, better="lower")
    >>> print(widen(one, 1), widen(one, 26))
    0.5 [0.4, 0.6] 0.5 [0.3417, 0.6583]
    """
    if tried <= 1 or reading.kind != "interval":
        return reading
    from scipy.special import ndtri

    rest = (1 - reading.level) / 2
    factor = float(ndtri(rest / tried) / ndtri(rest))
    low, high = (
        reading.value + factor * (end - reading.value) for end in (reading.low, reading.high)
    )
    return reading.model_copy(update={"low": low, "high": high})


def strongest(findings: Sequence[Finding], all_luck: bool) -> Finding | None:
    """The finding that says most about a risk; None if nothing was measured.

    Shares of people come before differences of shares, which are harder to understand. Without a
    leak, all differences are luck, and the most familiar reading is shown.
    """
    measured = by_strength(f for f in findings if f.reading.measured)
    plain = [f for f in measured if not is_excess(f.name)] or measured
    if not plain:
        return None
    if could_be_luck(plain[0], all_luck, len(plain)):
        return next((f for f in plain if f.name == "auc"), plain[0])
    return plain[0]


def by_strength(findings: Iterable[Finding]) -> list[Finding]:
    """Findings from the strongest to the weakest; equal ones keep their order."""
    return sorted(findings, key=lambda finding: -strength(finding))


def marks_of(finding: Finding, *, luck: bool) -> RiskMarks:
    """What the bar of a finding shows; ``luck`` says whether luck explains it."""
    return RiskMarks(
        finding.reading,
        finding.chance,
        control_of(finding),
        finding.smallest_detectable,
        more_than_luck=not luck,
    )


# --- one table per reading ---


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


def risk_sections(findings: Sequence[Finding], all_luck: bool) -> Iterator[RiskSection]:
    """Every risk that was attacked, with one table per reading."""
    for risk, words in risks_of(findings).items():
        own = [finding for finding in findings if finding.risk == risk]
        names = list(dict.fromkeys(finding.name for finding in own))
        if own:
            tables = [_table([f for f in own if f.name == name], all_luck) for name in names]
            yield RiskSection(words.title, words.question, tables)


def _table(findings: Sequence[Finding], all_luck: bool) -> AttackTable:
    ordered = by_strength(findings)
    lucky = [could_be_luck(finding, all_luck, len(ordered)) for finding in ordered]
    marks = [marks_of(f, luck=luck) for f, luck in zip(ordered, lucky, strict=True)]
    scale = common_scale(marks, _TABLE_WIDTH)
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
    shared = set.intersection(*({_shape(text) for text in own} for own in texts))
    return [" ".join(text for text in own if _shape(text) not in shared) for own in texts]


def _sentences(finding: Finding) -> list[str]:
    reading = finding.reading
    own = re.split(r"(?<=[.!?])\s+(?=[A-Z])", finding.says) if reading.measured else []
    return [*own, *([reading.note] if reading.note else [])]


def _shape(sentence: str) -> str:
    """A sentence without its numbers."""
    return re.sub(r"\d[\d,.]*", "#", sentence)
