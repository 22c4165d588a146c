"""Steps: prepare, hand over, score, freeze, reveal and export."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse

from quintain.host.organising import exports
from quintain.host.organising.drafting import drafts
from quintain.host.organising.overview import overview
from quintain.host.web.api.organise import steps as commands
from quintain.host.web.api.organise.fields import EditionId
from quintain.host.web.api.organise.settings import make_archive, make_codabench
from quintain.host.web.pages.command_form import add_form
from quintain.host.web.pages.organise.forms import organise_page
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download_file

STEPS = APIRouter(prefix="/organise/{edition}")

_ASKED = "The workers were asked to do it; this page shows how it goes."


@STEPS.get("/steps")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The steps of a contest, and which of them are done."""
    seen = overview(site, visitor, edition)
    files = {
        kind: site.exported(edition, f"{kind}.zip").is_file() for kind in ("archive", "codabench")
    }
    shown = drafts.disclosures_of(site, drafts.draft(site, visitor, edition))
    return organise_page(request, "steps", seen.edition, seen=seen, files=files, disclosures=shown)


@STEPS.get("/codabench.zip")
def codabench(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """The bundle for CodaBench, for organisers alone."""
    path = exports.exported(site, visitor, edition, "codabench")
    return download_file(path, f"{edition}-codabench.zip", "application/zip")


for step, command in (
    ("prepare", commands.prepare),
    ("hand-over", commands.hand_over),
    ("score", commands.score),
    ("freeze", commands.freeze),
    ("reveal", commands.reveal),
    ("archive", make_archive),
    ("codabench", make_codabench),
):
    add_form(
        STEPS,
        f"/steps/{step}",
        command,
        back="/organise/{edition}/steps",
        notice=_ASKED,
        names={"track": "tracks"} if step == "prepare" else {},
    )
