"""Overview: how a contest stands, what is stuck and why; with its jobs and its log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from quintain.host.organising import queue_control
from quintain.host.organising.log_view import AT_ONCE, actions_of
from quintain.host.organising.overview import overview
from quintain.host.web.api.organise.fields import EditionId, Number
from quintain.host.web.pages.organise.forms import done, organise_page
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


@OVERVIEW.post("/jobs/{number}/retry")
def retry(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> Response:
    """Try a failed job again."""
    queue_control.retry(site, visitor, edition, number)
    return done(request, edition, "/jobs", f"Job {number} waits again.")


@OVERVIEW.post("/jobs/{number}/cancel")
def cancel(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> Response:
    """Take a job out of the queue."""
    queue_control.cancel(site, visitor, edition, number)
    return done(request, edition, "/jobs", f"Job {number} was cancelled.")


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
