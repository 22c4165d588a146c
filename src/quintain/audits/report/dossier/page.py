"""Page: the dossier as one HTML file, in the style of the report."""

from __future__ import annotations

from typing import Any

from quintain.audits.report.dossier.answers import given_words
from quintain.audits.report.dossier.dossier import Dossier
from quintain.audits.report.dossier.guidance import PURPOSE
from quintain.audits.report.words import RELEASE
from quintain.figures.page import render


def dossier_page(dossier: Dossier) -> str:
    """The dossier as the text of an HTML file."""
    return render(
        "quintain.audits.report",
        "dossier.html.j2",
        "audit.css",
        words=RELEASE[dossier.verdict],
        **dossier_fields(dossier, folded=False),
    )


def dossier_fields(dossier: Dossier, *, folded: bool) -> dict[str, Any]:
    """What the template of a dossier needs, as a page of its own or folded into a report."""
    return {"dossier": dossier, "purpose": PURPOSE, "given_words": given_words, "folded": folded}
