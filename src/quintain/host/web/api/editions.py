"""Editions: what everybody may know of the contests of a site."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from quintain.host.editions.listing import editions_for
from quintain.host.web.requests import SiteOf, VisitorOf

EDITIONS = APIRouter(tags=["contests"])


class EditionSummary(BaseModel):
    """An edition in a list."""

    id: str
    title: str
    state: str


@EDITIONS.get("/editions")
def list_editions(site: SiteOf, visitor: VisitorOf) -> list[EditionSummary]:
    """The contests that you may see."""
    return [
        EditionSummary(id=one.id, title=one.title, state=one.state)
        for one in editions_for(site, visitor)
    ]
