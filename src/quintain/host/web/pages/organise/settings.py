"""Settings: visibility, registration, the call, organisers and news."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select

from quintain.host.database.contests import News
from quintain.host.organising import news, organisers
from quintain.host.organising.overview import overview
from quintain.host.organising.settings import REGISTRATIONS, change_settings
from quintain.host.web.api.organise.fields import EditionId, Number
from quintain.host.web.pages.organise.forms import (
    LineField,
    TextField,
    done,
    number,
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


@SETTINGS.post("/settings")
def change(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    registration: LineField,
    visible: LineField = "",
    team_size: LineField = "",
    max_teams: LineField = "",
    call: TextField = "",
) -> Response:
    """Change the settings."""
    change_settings(
        site,
        visitor,
        edition,
        visible=visible == "yes",
        registration=registration,
        team_size=number(team_size, "team size"),
        max_teams=number(max_teams, "teams"),
        call=call,
    )
    return done(request, edition, "/settings", "The settings are stored.")


@SETTINGS.get("/organisers")
def read_organisers(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """Who organises a contest; operators name them here, also of contests of others."""
    people = organisers.organisers_of(site, visitor, edition)
    return page(request, "organise/organisers.html.j2", people=people, name=edition)


@SETTINGS.post("/organisers")
def name_organiser(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, email: LineField
) -> Response:
    """Let somebody organise the contest."""
    person = organisers.name_organiser(site, visitor, edition, email)
    notice = f"{person.name} organises this contest."
    return done(request, edition, "/organisers", notice)


@SETTINGS.post("/organisers/{account}/remove")
def remove_organiser(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, account: Number
) -> Response:
    """Somebody no longer organises the contest."""
    organisers.remove_organiser(site, visitor, edition, account)
    return done(request, edition, "/organisers", "The person no longer organises this contest.")


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


@SETTINGS.post("/news")
def publish(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    title: LineField,
    text: TextField = "",
) -> Response:
    """Publish a piece of news."""
    news.publish(site, visitor, edition, title, text)
    return done(request, edition, "/news", "The news are published.")


@SETTINGS.post("/news/{piece}/withdraw")
def withdraw(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, piece: Number
) -> Response:
    """Take a piece of news back."""
    news.withdraw(site, visitor, edition, piece)
    return done(request, edition, "/news", "The piece of news is withdrawn.")
