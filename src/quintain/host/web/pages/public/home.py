"""Home: the contests of a site."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from quintain.host.editions.listing import editions_for
from quintain.host.views.contest import summaries
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

HOME = APIRouter()


@HOME.get("/")
def home(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The contests that the visitor may see."""
    contests = summaries(site, editions_for(site, visitor))
    return page(request, "home.html.j2", contests=contests)
