"""Files: downloads of public files; each is asked for, none is a plain folder of the server."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from quintain.host.views.contest import contest_for
from quintain.host.views.public_files import public_path
from quintain.host.views.published import REPORT, published_path
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.runs.folder import paths

FILES = APIRouter(prefix="/contests/{edition}/files")

SANDBOX = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox"
)
"""The report is one file of ours with its own style. Here it can run nothing and load nothing."""

_TEXTS = {".txt": "text/plain", ".pub": "text/plain", ".json": "application/json"}
_KINDS = {".csv": "text/csv", ".zip": "application/zip"}


@FILES.get("/public/{name:path}")
def public_file(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> FileResponse:
    """A public file of the contest; of a round that has not begun, nothing is public."""
    contest = contest_for(site, visitor, edition)
    path = public_path(site, contest, f"{paths.PUBLIC}/{name}")
    inside = name.count("/") == 0 or name.startswith(("rules/", "commitments/"))
    return _sent(path, path.name, shown=inside)


@FILES.get("/{name}")
def published_file(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> FileResponse:
    """A file that was published with the reveal: the archive, the report, the results."""
    contest = contest_for(site, visitor, edition)
    path = published_path(site, contest, name)
    if name == REPORT:
        return FileResponse(
            path, media_type="text/html", headers={"Content-Security-Policy": SANDBOX}
        )
    return _sent(path, f"{edition}-{name}")


def _sent(path: Path, name: str, *, shown: bool = False) -> FileResponse:
    """A file as a download; only texts that we made ourselves open in the browser."""
    if shown and path.suffix in _TEXTS:
        return FileResponse(path, media_type=f"{_TEXTS[path.suffix]}; charset=utf-8")
    kind = _KINDS.get(path.suffix, "application/octet-stream")
    return FileResponse(path, media_type=kind, filename=name)
