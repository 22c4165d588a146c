"""Formats: a dossier as a file; the ending of its name says how it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quintain.audits.report.dossier.dossier import Dossier
from quintain.audits.report.dossier.markdown import markdown
from quintain.audits.report.dossier.page import dossier_page
from quintain.errors import QuintainError


def as_json(dossier: Dossier) -> str:
    """The dossier as JSON."""
    return dossier.model_dump_json(indent=2) + "\n"


FORMATS: dict[str, Callable[[Dossier], str]] = {
    ".html": dossier_page,
    ".md": markdown,
    ".txt": markdown,
    ".json": as_json,
}
"""How a dossier is written, by the ending of the file name."""


def format_of(path: Path) -> Callable[[Dossier], str]:
    """How to write a dossier to a file; raises if the ending of its name says nothing.

    >>> format_of(Path("dossier.TXT")).__name__
    'markdown'
    """
    write = FORMATS.get(path.suffix.lower())
    if write is None:
        *others, last = FORMATS
        raise QuintainError(
            f"{path.name}: a dossier is written as {', '.join(others)} or {last}; for a PDF, print "
            "the HTML page"
        )
    return write
