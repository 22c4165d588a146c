"""Risk view: one line of the first page per risk, with its sentence and its bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from quintain.audits.report.risk_words import in_people, is_excess, risks_of, words_of
from quintain.audits.report.strongest import could_be_luck, marks_of, strongest
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import RiskWords
from quintain.figures.format import count
from quintain.figures.risk_bar import risk_bar, shares

ALWAYS = ("membership", "singling-out", "linkability", "inference")
"""Risks that every report names, measured or not."""
WIDTH = 240
_UNMEASURED = "No attack of this audit measured this risk."


@dataclass(frozen=True, slots=True)
class RiskView:
    """One risk on the first page.

    Parameters
    ----------
    status : "more than luck explains", "no more than luck explains" or "not measured".
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
    p: float | None,
    unmeasured: str = _UNMEASURED,
) -> list[RiskView]:
    """The risks of the first page, in the order in which readers know them.

    Parameters
    ----------
    unmeasured : what is said of a risk without a figure if nothing else is known.
    """
    present = {finding.risk for finding in findings}
    risks = [risk for risk in risks_of(findings) if risk in present or risk in ALWAYS]
    views = (_view(risk, findings, not_computed, p) for risk in risks)
    return [replace(view, sentence=view.sentence or unmeasured) for view in views]


def _view(
    risk: str, findings: Sequence[Finding], not_computed: Sequence[NotComputed], p: float | None
) -> RiskView:
    own = [finding for finding in findings if finding.risk == risk]
    worst = strongest(own, p)
    if worst is None:
        return RiskView(words_of(risk), "not measured", "absent", _why(risk, own, not_computed))
    luck = could_be_luck(worst, p, sum(f.reading.measured and not is_excess(f.name) for f in own))
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
    notes += [one.reason for one in not_computed if word in one.what.lower().replace("-", " ")]
    if notes:
        return f"There is no figure: {notes[0]}"
    return ""
