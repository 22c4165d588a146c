"""Strongest attack: which finding of a risk says most, and whether luck explains it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from quintain.audits.report.risk_words import is_excess
from quintain.audits.results import Finding
from quintain.figures.matrix import Chance
from quintain.figures.risk_bar import RiskMarks
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


def could_be_luck(finding: Finding, p: float | None, tried: int = 1) -> bool:
    """Whether luck explains a finding: the test of the whole audit decides before the interval.

    Parameters
    ----------
    p : the p-value of the whole audit, if there is one.
    tried : how many findings it is the strongest of; the interval is widened for them.
    """
    if p is not None and p > LEVEL:
        return True
    if not finding.reading.measured or strength(finding) <= 0:
        return True
    reading, control = widened(finding.reading, tried), control_of(finding)
    beside = Chance(blind={} if control is None else {"": widened(control, tried)})
    blind = 0.0 if finding.chance is None and control is None else finding.chance
    return beside.explains("", reading) or Chance(value=blind).explains("", reading)


def widened(reading: Reading, tried: int) -> Reading:
    """A reading with the interval that holds for all of several together (Bonferroni).

    >>> one = Reading(value=0.5, low=0.4, high=0.6, n=100, better="lower")
    >>> print(widened(one, 1), widened(one, 26))
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


def strongest(findings: Sequence[Finding], p: float | None) -> Finding | None:
    """The finding that says most about a risk; None if nothing was measured.

    Shares of people come before differences of shares, which are harder to understand. Without a
    leak, all differences are luck, and the most familiar reading is shown.
    """
    measured = by_strength(f for f in findings if f.reading.measured)
    plain = [f for f in measured if not is_excess(f.name)] or measured
    if not plain:
        return None
    if could_be_luck(plain[0], p, len(plain)):
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
