"""Page: the report of an audit as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quintain.audits.finding import Finding
from quintain.audits.release_audit import ReleaseAudit
from quintain.audits.report.attack_tables import risk_sections
from quintain.audits.report.reach import p_words, tiles_of
from quintain.audits.report.risk_view import risk_views
from quintain.audits.report.roc_view import roc_view
from quintain.audits.report.sanitizer_tiles import sanitizer_tiles
from quintain.audits.report.settings_view import (
    frontiers,
    parameter_words,
    setting_views,
    utilities_of,
)
from quintain.audits.report.shape_view import SHOWN, shape_views
from quintain.audits.report.threats import threats_of
from quintain.audits.report.verdict_words import RELEASE, SANITIZER, VerdictWords
from quintain.audits.sanitizer_audit import SanitizerAudit
from quintain.audits.verdict import Thresholds
from quintain.figures.audit.risk_bar import key, scale_ticks, shares
from quintain.figures.audit.shape_plot import swatch
from quintain.figures.page import render

REASONS, LIMITS = 620, 600
"""How many letters of reasons and of limits the first page has room for; the next has all."""


def release_page(audit: ReleaseAudit) -> str:
    """The report of a release audit as the text of an HTML file."""
    shapes = shape_views(audit.shapes)
    return render(
        __package__,
        "release.html.j2",
        "audit.css",
        **_shared(audit, RELEASE[audit.verdict], audit.p),
        tiles=tiles_of(audit),
        p_words=p_words(audit.p),
        shapes=shapes[:SHOWN],
        more_shapes=shapes[SHOWN:],
        swatch=swatch,
    )


def sanitizer_page(audit: SanitizerAudit) -> str:
    """The report of a sanitizer audit as the text of an HTML file."""
    settings = setting_views(audit)
    return render(
        __package__,
        "sanitizer.html.j2",
        "audit.css",
        **_shared(audit, SANITIZER[audit.verdict], None),
        tiles=sanitizer_tiles(audit, settings),
        settings=settings,
        frontiers=frontiers(audit, settings),
        utilities=utilities_of(audit.settings),
        parameters=parameter_words(audit.parameters),
    )


def _shared(
    audit: ReleaseAudit | SanitizerAudit, words: VerdictWords, p: float | None
) -> dict[str, Any]:
    """What both pages show."""
    reasons, limits = fitting(audit.reasons, REASONS), fitting(audit.limits, LIMITS)
    return {
        "audit": audit,
        "words": words,
        "reasons": reasons,
        "limits": limits,
        "front_is_all": (*reasons, *limits) == (*audit.reasons, *audit.limits),
        "risks": risk_views(audit.readings, audit.not_computed, p, words.unmeasured),
        "sections": list(risk_sections(audit.readings, p)),
        "roc": roc_view(audit.curves),
        "threats": threats_of(audit.readings),
        "key": key,
        "ticks": scale_ticks(shares(240), percent=True),
        "settings_of": _settings,
        "thresholds": Thresholds(),
    }


def fitting(texts: Sequence[str], most: int) -> list[str]:
    """The first sentences that have room together; a first one that is too long is cut.

    >>> fitting(["one", "two", "three"], 7), fitting(["much too long for this"], 14)
    (['one', 'two'], ['much too …'])
    """
    shown: list[str] = []
    for text in texts:
        if sum(map(len, shown)) + len(text) > most:
            break
        shown.append(text)
    if texts and not shown:
        return [f"{texts[0][:most].rsplit(None, 1)[0]} …"]
    return shown


def _settings(finding: Finding) -> str:
    return parameter_words(finding.parameters)
