"""Home: the contests of a site."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from quintain.host.editions.listing import editions_for
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

HOME = APIRouter()


@HOME.get("/")
def home(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The contests that the visitor may see."""
    return page(request, "home.html.j2", editions=editions_for(site, visitor))
