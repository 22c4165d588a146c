"""Strongest attack: which finding of a risk says most, and whether luck explains it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from quintain.audits.finding import Finding
from quintain.audits.report.risk_words import is_excess
from quintain.figures.audit.risk_bar import RiskMarks
from quintain.figures.chance import Chance
from quintain.measures import Reading

LEVEL = 0.05
"""Evidence that is more probable than this without any leak could be luck."""


def control_of(finding: Finding) -> Reading | None:
    """What the same figure is for people outside the data; a difference to them has none."""
    control = finding.control
    if control is None or not control.measured or is_excess(finding.name):
        return None
    return control


def reference(finding: Finding) -> float:
    """What the reading would be without a leak: that of the control, else chance, else 0."""
    control = control_of(finding)
    if control is not None:
        return control.value
    return 0.0 if finding.chance is None else finding.chance


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


def could_be_luck(finding: Finding, p: float | None) -> bool:
    """Whether luck explains a finding: the test of the whole audit decides before the interval."""
    if p is not None and p > LEVEL:
        return True
    if not finding.reading.measured or strength(finding) <= 0:
        return True
    control = control_of(finding)
    if control is not None:
        return Chance(blind={"": control}).explains("", finding.reading)
    value = finding.chance
    return Chance(value=0.0 if value is None else value).explains("", finding.reading)


def strongest(findings: Sequence[Finding], p: float | None) -> Finding | None:
    """The finding that says most about a risk; None if nothing was measured.

    Shares of people come before differences of shares, which are harder to understand. Without a
    leak, all differences are luck, and the most familiar reading is shown.
    """
    measured = by_strength(f for f in findings if f.reading.measured)
    plain = [f for f in measured if not is_excess(f.name)] or measured
    if not plain:
        return None
    if could_be_luck(plain[0], p):
        return next((f for f in plain if f.name == "auc"), plain[0])
    return plain[0]


def by_strength(findings: Iterable[Finding]) -> list[Finding]:
    """Findings from the strongest to the weakest; equal ones keep their order."""
    return sorted(findings, key=lambda finding: -strength(finding))


def marks_of(finding: Finding, p: float | None) -> RiskMarks:
    """What the bar of a finding shows."""
    return RiskMarks(
        finding.reading,
        finding.chance,
        control_of(finding),
        finding.smallest_detectable,
        more_than_luck=not could_be_luck(finding, p),
    )
