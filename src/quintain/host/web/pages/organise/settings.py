"""Settings: visibility, registration, the call, organisers and news."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from sqlalchemy import select

from quintain.host.database.contests import News
from quintain.host.organising import organisers
from quintain.host.organising.overview import overview
from quintain.host.organising.settings import REGISTRATIONS
from quintain.host.web.api.organise import settings as commands
from quintain.host.web.api.organise.fields import EditionId
from quintain.host.web.pages.command_form import add_form
from quintain.host.web.pages.organise.forms import (
    organise_page,
)
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

SETTINGS = APIRouter(prefix="/organise/{edition}")


@SETTINGS.get("/settings")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The settings of a contest, and who organises it."""
    row = overview(site, visitor, edition).edition
    people = organisers.organisers_of(site, visitor, edition)
    return organise_page(request, "settings", row, people=people, modes=REGISTRATIONS)


@SETTINGS.get("/organisers")
def read_organisers(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """Who organises a contest; operators name them here, also of contests of others."""
    people = organisers.organisers_of(site, visitor, edition)
    return page(request, "organise/organisers.html.j2", people=people, name=edition)


@SETTINGS.get("/news")
def read_news(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """What was published, and the form for more."""
    row = overview(site, visitor, edition).edition
    with site.database.reading() as session:
        own = select(News).where(News.edition == edition).order_by(News.id.desc())
        pieces = session.scalars(own).all()
    return organise_page(request, "news", row, pieces=pieces)


for path, command, back, notice in (
    ("/settings", commands.change, "/settings", "The settings are stored."),
    ("/organisers", commands.name_organiser, "/organisers", "{name} organises this contest."),
    (
        "/organisers/{account}/remove",
        commands.remove_organiser,
        "/organisers",
        "The person no longer organises this contest.",
    ),
    ("/news", commands.publish, "/news", "The news are published."),
    (
        "/news/{number}/withdraw",
        commands.withdraw,
        "/news",
        "The piece of news is withdrawn.",
    ),
):
    add_form(SETTINGS, path, command, back="/organise/{edition}" + back, notice=notice)
