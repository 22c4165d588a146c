"""Strongest attack: which finding of a risk says most, and whether luck explains it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from quintain.audits.finding import Finding
from quintain.figures.audit.risk_bar import RiskMarks
from quintain.figures.chance import Chance

LEVEL = 0.05
"""Evidence that is more probable than this without any leak could be luck."""


def reference(finding: Finding) -> float:
    """What the reading would be without a leak: that of the control, else chance, else 0."""
    if finding.control is not None and finding.control.measured:
        return finding.control.value
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
    control = finding.control
    if control is not None and control.measured:
        return Chance(blind={"": control}).explains("", finding.reading)
    value = finding.chance
    return Chance(value=0.0 if value is None else value).explains("", finding.reading)


def strongest(findings: Sequence[Finding], p: float | None) -> Finding | None:
    """The finding that says most about a risk; None if nothing was measured.

    Without a leak, the differences are luck, and the most familiar reading is shown.
    """
    measured = by_strength(f for f in findings if f.reading.measured)
    if not measured:
        return None
    if could_be_luck(measured[0], p):
        familiar = [f for f in measured if f.name == "auc" or f.control is not None]
        first = [f for f in familiar if f.name == "auc"] or familiar or measured
        return first[0]
    return measured[0]


def by_strength(findings: Iterable[Finding]) -> list[Finding]:
    """Findings from the strongest to the weakest; equal ones keep their order."""
    return sorted(findings, key=lambda finding: -strength(finding))


def marks_of(finding: Finding, p: float | None) -> RiskMarks:
    """What the bar of a finding shows."""
    return RiskMarks(
        finding.reading,
        finding.chance,
        finding.control,
        finding.smallest_detectable,
        more_than_luck=not could_be_luck(finding, p),
    )
