"""Page: the report of an audit as one HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from quintain.audits.report.dossier.dossier import make_dossier
from quintain.audits.report.dossier.page import dossier_fields
from quintain.audits.report.histories_view import histories_plot
from quintain.audits.report.risk_view import risk_sections, risk_views
from quintain.audits.report.settings_view import (
    frontiers,
    parameter_words,
    setting_views,
    utilities_of,
)
from quintain.audits.report.tiles import p_words, sanitizer_tiles, tiles_of
from quintain.audits.report.words import (
    SANITIZER,
    VerdictWords,
    classes_words,
    copies_words,
    release_words,
)
from quintain.audits.results import ColumnShape, Finding, ReleaseAudit, RocCurve, SanitizerAudit
from quintain.audits.verdict import Thresholds
from quintain.figures.page import render
from quintain.figures.risk_bar import key, scale_ticks, shares
from quintain.figures.roc_plot import MOST_CURVES, RocLine, roc_plot
from quintain.figures.shape_plot import shape_plot, swatch

# Threats: what attackers know, said once for all attacks that know the same.


@dataclass(frozen=True, slots=True)
class Threat:
    """What an attacker knows and wants, and the attacks that were run with it."""

    sentences: tuple[str, ...]
    attacks: tuple[str, ...]


def threats_of(findings: Iterable[Finding]) -> list[Threat]:
    """The different threat models of some findings, in their order."""
    attacks: dict[tuple[str, ...], list[str]] = {}
    for finding in findings:
        names = attacks.setdefault(finding.threat, [])
        if finding.attack not in names:
            names.append(finding.attack)
    return [Threat(sentences, tuple(names)) for sentences, names in attacks.items() if sentences]


# ROC view: the curves that are worth drawing, the strongest first.


_RATE = 0.01
"""Curves are ordered by what they find at this rate of false alarms."""


@dataclass(frozen=True, slots=True)
class RocView:
    """A drawing with its legend, and how many curves were left out."""

    drawn: Markup
    lines: list[RocLine]
    left_out: int
    band: bool


def roc_view(curves: Sequence[RocCurve]) -> RocView | None:
    """Draw the strongest curves; None if there is none."""
    if not curves:
        return None
    ordered = sorted(curves, key=lambda curve: -_share_at(curve))[:MOST_CURVES]
    lines = [
        RocLine(curve.attack, curve.false_positive_rate, curve.true_positive_rate, i)
        for i, curve in enumerate(ordered)
    ]
    members, others = ordered[0].members, ordered[0].others
    drawn = roc_plot(lines, members, others, "roc")
    return RocView(drawn, lines, len(curves) - len(lines), bool(members and others))


def _share_at(curve: RocCurve) -> float:
    if not curve.false_positive_rate:
        return 0.0
    return float(np.interp(_RATE, curve.false_positive_rate, curve.true_positive_rate))


# Shape view: the columns in which a release differs most, as small pictures.


SHOWN = 6
"""How many columns are shown at once; the others are folded."""


@dataclass(frozen=True, slots=True)
class ShapeView:
    """One column with its picture."""

    column: str
    distance: float
    drawn: Markup


def shape_views(shapes: Sequence[ColumnShape]) -> list[ShapeView]:
    """Draw every column, the most different first."""
    ordered = sorted(shapes, key=lambda shape: -shape.distance)
    return [
        ShapeView(
            shape.column,
            shape.distance,
            shape_plot(shape.column, shape.labels, shape.original, shape.release, f"shape-{i}"),
        )
        for i, shape in enumerate(ordered, start=1)
    ]


REASONS, LIMITS = 620, 600
"""How many letters of reasons and of limits the first page has room for; the next has all."""


def release_page(audit: ReleaseAudit) -> str:
    """The report of a release audit as the text of an HTML file."""
    shapes = shape_views(audit.shapes)
    return render(
        __package__,
        "release.html.j2",
        "audit.css",
        **_shared_fields(audit, release_words(audit), audit.may_be_luck),
        **dossier_fields(make_dossier(audit), folded=True),
        tiles=tiles_of(audit),
        classes=classes_words(audit.classes, control=audit.p is not None) if audit.classes else (),
        copies_words=copies_words(audit.laid_bare) if audit.laid_bare else "",
        p_words=p_words(audit),
        histories_plot=histories_plot(audit.histories) if audit.histories else None,
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
        **_shared_fields(audit, SANITIZER[audit.verdict], False),
        tiles=sanitizer_tiles(audit, settings),
        classes=(),
        settings=settings,
        frontiers=frontiers(audit, settings),
        utilities=utilities_of(audit.settings),
        parameters=parameter_words(audit.parameters),
    )


def _shared_fields(
    audit: ReleaseAudit | SanitizerAudit, words: VerdictWords, all_luck: bool
) -> dict[str, Any]:
    """What both pages show."""
    doubt = audit.doubt if isinstance(audit, ReleaseAudit) else ""
    reasons, limits = fitting(audit.reasons, REASONS), fitting(audit.limits, LIMITS)
    return {
        "audit": audit,
        "words": words,
        "reasons": reasons,
        "limits": limits,
        "front_is_all": (*reasons, *limits) == (*audit.reasons, *audit.limits),
        "risks": risk_views(audit.readings, audit.not_computed, all_luck, words.unmeasured, doubt),
        "sections": list(risk_sections(audit.readings, all_luck)),
        "roc": roc_view(audit.curves),
        "threats": threats_of(audit.readings),
        "key": key,
        "ticks": scale_ticks(shares(240), percent=True),
        "order": audit.order if isinstance(audit, ReleaseAudit) else None,
        "settings_of": _settings,
        "parameters_of": parameter_words,
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
