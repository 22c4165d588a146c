"""Files of an audit: the numbers as JSON and the report as one HTML file, in a folder."""

from __future__ import annotations

from pathlib import Path

from quintain.audits.release_audit import ReleaseAudit
from quintain.errors import FolderError
from quintain.jobs.files import write_file

NUMBERS, REPORT = "audit.json", "report.html"


def require_empty(folder: Path | None) -> None:
    """Raise if there is something in the folder: an audit overwrites nothing."""
    if folder is not None and folder.exists() and any(folder.iterdir()):
        raise FolderError(f"{folder} is not empty; give a new folder with --out")


def write_audit(audit: ReleaseAudit, folder: Path) -> tuple[Path, ...]:
    """Write the numbers and the report, readable for their owner alone."""
    from quintain.audits.report.page import release_page

    contents = {NUMBERS: audit.model_dump_json(indent=2) + "\n", REPORT: release_page(audit)}
    for name, text in contents.items():
        write_file(folder / name, text.encode())
    return tuple(folder / name for name in contents)
