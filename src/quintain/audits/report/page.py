"""Page: the report of an audit as one HTML file."""

from __future__ import annotations

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
from quintain.figures.audit.risk_bar import key, scale_ticks, shares
from quintain.figures.audit.shape_plot import swatch
from quintain.figures.page import render

FRONT = 3
"""How many reasons and limits the first page has room for; all of them are on the next pages."""
LONGEST, SHORT = 180, 130
"""The most letters of a reason and of a limit on the first page."""


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
    return {
        "audit": audit,
        "words": words,
        "reasons": [shortened(text) for text in audit.reasons[:FRONT]],
        "limits": [shortened(text, SHORT) for text in audit.limits[:FRONT]],
        "front_is_all": _fits(audit.reasons, LONGEST) and _fits(audit.limits, SHORT),
        "risks": risk_views(audit.readings, audit.not_computed, p),
        "sections": list(risk_sections(audit.readings, p)),
        "roc": roc_view(audit.curves),
        "threats": threats_of(audit.readings),
        "key": key,
        "ticks": scale_ticks(shares(240), percent=True),
        "settings_of": _settings,
    }


def shortened(text: str, most: int = LONGEST) -> str:
    """A sentence for the first page; the whole of a long one is on the next pages.

    >>> shortened("a short one"), shortened("much too long for this", 14)
    ('a short one', 'much too long …')
    """
    if len(text) <= most:
        return text
    return f"{text[:most].rsplit(None, 1)[0]} …"


def _fits(texts: tuple[str, ...], most: int) -> bool:
    return len(texts) <= FRONT and all(len(text) <= most for text in texts)


def _settings(finding: Finding) -> str:
    return parameter_words({k: v for k, v in finding.parameters.items() if v is not None})
