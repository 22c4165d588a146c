"""Notebook view: an audit in a few lines, for the output of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from quintain.audits.report.risk_view import risk_views
from quintain.audits.report.settings_view import setting_views
from quintain.audits.report.tiles import Tile, sanitizer_tiles, tiles_of
from quintain.audits.report.words import SANITIZER, VerdictWords, release_words
from quintain.audits.results import ReleaseAudit, SanitizerAudit
from quintain.figures.format import printable
from quintain.wording.display import html_table


def notebook_view(audit: ReleaseAudit | SanitizerAudit) -> str:
    """The verdict, its reasons, the numbers behind it and the risks, as short HTML."""
    if isinstance(audit, ReleaseAudit):
        return _view(audit, release_words(audit), tiles_of(audit), audit.may_be_luck)
    tiles = sanitizer_tiles(audit, setting_views(audit))
    return _view(audit, SANITIZER[audit.verdict], tiles, False)


def _view(
    audit: ReleaseAudit | SanitizerAudit,
    words: VerdictWords,
    tiles: Sequence[Tile],
    all_luck: bool,
) -> str:
    order, doubt = (audit.order, audit.doubt) if isinstance(audit, ReleaseAudit) else (None, "")
    sentences = [*audit.reasons, *([order.says] if order is not None and order.alarm else [])]
    reasons = "".join(f"<li>{escape(printable(reason))}</li>" for reason in sentences)
    numbers = html_table(("number", "what it says"), [(t.figure, printable(t.says)) for t in tiles])
    risks = html_table(
        ("risk", "what the strongest attack does", "beside chance and control"),
        [
            (view.words.title, printable(view.sentence), view.status)
            for view in risk_views(
                audit.readings, audit.not_computed, all_luck, words.unmeasured, doubt
            )
        ],
    )
    missing = len(audit.not_computed)
    left_out = f" Not computed: {missing}; see <code>not_computed</code>." if missing else ""
    return (
        f"<div><p><strong>{words.mark} {escape(words.label)}.</strong> {escape(words.headline)}</p>"
        f"<ul>{reasons}</ul>{numbers}{risks}"
        f"<p>Limits: {escape(printable(' '.join(audit.limits)))}{left_out} "
        'The whole report: <code>.save("report.html")</code>.</p></div>'
    )
