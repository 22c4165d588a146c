"""Kits: download the kit of a team, and the files that only this team gets."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel

from quintain.host.teams.files import TeamFile, download_name, own_file, own_files
from quintain.host.teams.kits import Kit, ask_again, kit_for
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download_file

KITS = APIRouter(prefix="/editions/{edition}/team", tags=["teams"])


class KitFacts(BaseModel):
    """The kit of a team: "ready" with its size and SHA-256, "waiting" or "failed"."""

    state: Literal["ready", "waiting", "failed"]
    size: int = 0
    sha256: str = ""

    @classmethod
    def of(cls, kit: Kit) -> KitFacts:
        """The facts of a kit without its place on this machine."""
        return cls(state=kit.state, size=kit.size, sha256=kit.digest)


_ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}, "description": "The kit."},
    202: {"model": KitFacts, "description": "A worker makes it; ask again in a moment."},
}


@KITS.get("/kit", response_class=FileResponse, responses=_ZIP)
def download_kit(edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The kit of your team, a zip; while a worker makes it, the answer is 202."""
    kit = kit_for(site, visitor, edition)
    if kit.path is None:
        facts = KitFacts.of(kit).model_dump()
        return JSONResponse(facts, status_code=202, headers={"Retry-After": "2"})
    name = f"{edition}-{visitor.team_in(edition)}-kit.zip"
    return download_file(kit.path, name, "application/zip")


@KITS.get("/kit/state")
def kit_state(edition: str, site: SiteOf, visitor: VisitorOf) -> KitFacts:
    """Whether the kit of your team is ready."""
    return KitFacts.of(kit_for(site, visitor, edition))


@KITS.post("/kit/state")
def make_kit_again(edition: str, site: SiteOf, visitor: VisitorOf) -> KitFacts:
    """Ask a worker once more for a kit that could not be made."""
    return KitFacts.of(ask_again(site, visitor, edition))


@KITS.get("/files")
def list_own_files(edition: str, site: SiteOf, visitor: VisitorOf) -> list[TeamFile]:
    """The files that only your team gets."""
    return own_files(site, visitor, edition)


@KITS.get("/files/{name:path}", response_class=FileResponse)
def download_own_file(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> FileResponse:
    """One file that only your team gets, such as ``main/private.csv``."""
    path = own_file(site, visitor, edition, name)
    return download_file(path, download_name(site, visitor, edition, name))
