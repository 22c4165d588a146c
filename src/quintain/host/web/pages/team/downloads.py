"""Downloads: the kit of a team, its own files and its receipts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from quintain.host.intake.uploads_shown import receipt_for
from quintain.host.teams.files import download_name, own_file
from quintain.host.teams.kits import kit_for
from quintain.host.web.flash import redirect
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download, download_file

DOWNLOADS = APIRouter(prefix="/contests/{edition}/team")


@DOWNLOADS.get("/kit")
def kit(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The kit; while a worker makes it, the team page says so."""
    made = kit_for(site, visitor, edition)
    if made.path is None:
        return redirect(request, f"/contests/{edition}/team", "The kit is not ready yet.")
    name = f"{edition}-{visitor.team_in(edition)}-kit.zip"
    return download_file(made.path, name, "application/zip")


@DOWNLOADS.get("/files/{name:path}")
def file(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """One file that only this team gets."""
    path = own_file(site, visitor, edition, name)
    return download_file(path, download_name(site, visitor, edition, name))


@DOWNLOADS.get("/uploads/{number}/receipt")
def receipt(edition: str, number: int, site: SiteOf, visitor: VisitorOf) -> Response:
    """The signed receipt of an accepted upload."""
    content = receipt_for(site, visitor, edition, number)
    return download(content, f"{edition}-receipt-{number}.json", "application/json")
