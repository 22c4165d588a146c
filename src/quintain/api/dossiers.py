"""Dossiers: what an audit reads, beside what regulators ask, in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from quintain.audits.results import ReleaseAudit
from quintain.jobs.files import write_new

if TYPE_CHECKING:
    from quintain.audits.report.dossier.dossier import Dossier


@dataclass(frozen=True, slots=True, repr=False)
class ShownDossier:
    """The dossier of an audit, as a page, as a text and as JSON."""

    audit: ReleaseAudit

    @property
    def content(self) -> Dossier:
        """What is asked, document by document, with the readings that speak to it."""
        from quintain.audits.report.dossier.dossier import make_dossier

        return make_dossier(self.audit)

    def to_json(self) -> str:
        """The whole dossier as JSON."""
        return self._write(Path("dossier.json"))

    def to_markdown(self) -> str:
        """The dossier as Markdown, which is readable as it is."""
        return self._write(Path("dossier.md"))

    def page(self) -> str:
        """The dossier as one HTML page."""
        return self._write(Path("dossier.html"))

    def save(self, path: PathLike[str] | str, *, replace: bool = False) -> None:
        """Write the dossier as .html, .md, .txt or .json, by the ending of the name.

        The file is readable for its owner alone. A file that is there stays, unless ``replace``.
        """
        target = Path(path)
        write_new(target, self._write(target).encode(), replace=replace)

    def _write(self, path: Path) -> str:
        from quintain.audits.report.dossier.formats import format_of

        return format_of(path)(self.content)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def __repr__(self) -> str:
        questions = sum(len(document.entries) for document in self.content.documents)
        return f"<dossier: {self.audit.verdict}, {questions} questions>"
