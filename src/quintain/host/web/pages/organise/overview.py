"""Overview: how a contest stands, what is stuck and why; with its jobs and its log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from quintain.host.organising.log_view import AT_ONCE, actions_of
from quintain.host.organising.overview import overview
from quintain.host.web.api.organise import overview as commands
from quintain.host.web.api.organise.fields import EditionId
from quintain.host.web.pages.command_form import add_form
from quintain.host.web.pages.organise.forms import organise_page
from quintain.host.web.requests import SiteOf, VisitorOf

OVERVIEW = APIRouter(prefix="/organise/{edition}")


@OVERVIEW.get("")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """What waits for the organisers, and what is stuck."""
    seen = overview(site, visitor, edition)
    return organise_page(request, "overview", seen.edition, seen=seen)


@OVERVIEW.get("/jobs")
def jobs(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The jobs of a contest, and the workers."""
    seen = overview(site, visitor, edition)
    return organise_page(request, "jobs", seen.edition, seen=seen)


@OVERVIEW.get("/log")
def log(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> HTMLResponse:
    """What people did in this contest."""
    lines = actions_of(site, visitor, edition, before=before)
    row = overview(site, visitor, edition).edition
    return organise_page(request, "log", row, lines=lines, at_once=AT_ONCE)


for path, command, notice in (
    ("/jobs/{number}/retry", commands.retry_job, "Job {number} waits again."),
    ("/jobs/{number}/cancel", commands.cancel_job, "Job {number} was cancelled."),
):
    add_form(OVERVIEW, path, command, back="/organise/{edition}/jobs", notice=notice)
