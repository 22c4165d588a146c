"""Uploads: the form for files, and the page that says what became of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from quintain.errors import QuintainError
from quintain.figures.format import reading_text
from quintain.host.intake.questionnaire import KNOWN_METHODS
from quintain.host.intake.submitting import submit_form
from quintain.host.intake.uploads_shown import upload_for, uploads_for
from quintain.host.teams.overview import overview_for
from quintain.host.web.flash import redirect
from quintain.host.web.pages.render import page
from quintain.host.web.pages.team.contest_row import contest_row
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.sent_form import sent_form
from quintain.releases.release import KNOWN_MODELS

UPLOADS = APIRouter(prefix="/contests/{edition}/team")

_ROWS = 6
"""How many methods the form asks for."""


@UPLOADS.get("/submit")
def submit_page(
    request: Request,
    edition: str,
    site: SiteOf,
    visitor: VisitorOf,
    phase: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """The form for a phase, TRACK/PHASE; by default for the first one that is open."""
    team = overview_for(site, visitor, edition)
    chosen = [one for one in team.phases if f"{one.track}/{one.phase}" == phase]
    usable = [one for one in team.phases if not one.why]
    return page(
        request,
        "team/submit.html.j2",
        edition=contest_row(site, edition),
        team=team,
        phase=next(iter(chosen or usable), None),
        known_methods=KNOWN_METHODS,
        known_models=KNOWN_MODELS,
        rows=range(1, _ROWS + 1),
        limit=site.settings.upload_bytes,
    )


@UPLOADS.post("/uploads")
async def upload_form(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """Take files; the next page says what became of them."""
    visitor.team_in(edition)
    form = await sent_form(request)
    try:
        upload = await run_in_threadpool(
            submit_form, site, visitor, edition, form.fields, form.files
        )
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        return await run_in_threadpool(_refused, request, edition, problem)
    return redirect(request, f"/contests/{edition}/team/uploads/{upload.id}")


@UPLOADS.get("/uploads")
def uploads_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """All uploads of the team."""
    uploads = uploads_for(site, visitor, edition)
    return page(
        request, "team/uploads.html.j2", edition=contest_row(site, edition), uploads=uploads
    )


@UPLOADS.get("/uploads/{number}")
def upload_page(
    request: Request, edition: str, number: int, site: SiteOf, visitor: VisitorOf
) -> Response:
    """One upload: its state, every fault, its receipt."""
    upload = upload_for(site, visitor, edition, number)
    part = request.headers.get("hx-request") == "true"
    template = "team/upload_state.html.j2" if part else "team/upload.html.j2"
    row = contest_row(site, edition)
    return page(request, template, edition=row, upload=upload, reading_text=reading_text)


def _refused(request: Request, edition: str, problem: QuintainError) -> Response:
    """Why the files were not even taken."""
    row = contest_row(request.app.state.site, edition)
    sentences = [str(fault) for fault in getattr(problem, "faults", ())] or [str(problem)]
    return page(request, "team/not_taken.html.j2", problem.status, edition=row, sentences=sentences)
