"""Settings: who sees a contest, who organises it, its news and its exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel

from quintain.host.organising import exports, news, organisers
from quintain.host.organising.settings import change_settings
from quintain.host.web.api.organise.fields import (
    Done,
    EditionId,
    Limit,
    Line,
    Number,
    RequestBody,
    Started,
    Text,
)
from quintain.host.web.api.organise.steps import OneTrack
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download_file

SETTINGS = APIRouter(prefix="/editions/{edition}")

Registration = Literal["open", "approval", "invitation", "closed"]


class SettingsView(BaseModel):
    """The settings of a contest."""

    visible: bool
    registration: str
    team_size: int | None
    max_teams: int | None
    call: str


class NewSettings(RequestBody):
    """Settings to change; what is left out stays as it is."""

    visible: bool | None = None
    registration: Registration | None = None
    team_size: Limit = None
    max_teams: Limit = None
    call: Text | None = None

    @classmethod
    def read_form(cls, fields: Mapping[str, str]) -> dict[str, Any]:
        """From a form, which shows all settings: an empty field lifts a limit."""
        return {
            "visible": fields.get("visible", "no"),
            "registration": fields.get("registration"),
            "team_size": fields.get("team_size") or None,
            "max_teams": fields.get("max_teams") or None,
            "call": fields.get("call", ""),
        }


class NewNews(RequestBody):
    """A piece of news as plain text."""

    title: Line
    text: Text = ""


class Published(BaseModel):
    """The number of a piece of news."""

    news: int


class PersonView(BaseModel):
    """Somebody who organises a contest."""

    account: int
    name: str


class NewOrganiser(RequestBody):
    """The e-mail address of somebody with an account."""

    email: Line


@SETTINGS.patch("/organise/settings")
def change(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewSettings
) -> SettingsView:
    """Change settings of a contest; null lifts a limit."""
    values = given.model_dump(exclude_unset=True)
    never = ("visible", "registration", "call")
    values = {k: v for k, v in values.items() if v is not None or k not in never}
    row = change_settings(site, visitor, edition, **values)
    return SettingsView(**{name: getattr(row, name) for name in SettingsView.model_fields})


@SETTINGS.post("/organise/news", status_code=201)
def publish(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewNews) -> Published:
    """Publish a piece of news."""
    return Published(news=news.publish(site, visitor, edition, given.title, given.text))


@SETTINGS.delete("/organise/news/{number}")
def withdraw(site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number) -> Done:
    """Take a piece of news back."""
    news.withdraw(site, visitor, edition, number)
    return Done()


@SETTINGS.get("/organise/organisers")
def list_organisers(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> list[PersonView]:
    """Who organises a contest."""
    people = organisers.organisers_of(site, visitor, edition)
    return [PersonView(account=one.account, name=one.name) for one in people]


@SETTINGS.post("/organise/organisers", status_code=201)
def name_organiser(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewOrganiser
) -> PersonView:
    """Let somebody organise a contest; only operators can."""
    person = organisers.name_organiser(site, visitor, edition, given.email)
    return PersonView(account=person.account, name=person.name)


@SETTINGS.delete("/organise/organisers/{account}")
def remove_organiser(site: SiteOf, visitor: VisitorOf, edition: EditionId, account: Number) -> Done:
    """Somebody no longer organises a contest; only operators can say so."""
    organisers.remove_organiser(site, visitor, edition, account)
    return Done()


@SETTINGS.post("/organise/archive", status_code=202)
def make_archive(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Make the archive of a contest that was revealed."""
    return Started(job=exports.request_archive(site, visitor, edition))


@SETTINGS.post("/organise/codabench", status_code=202)
def make_codabench(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: OneTrack
) -> Started:
    """Make a bundle of the current phase for CodaBench."""
    return Started(job=exports.request_codabench(site, visitor, edition, given.track))


@SETTINGS.get("/organise/codabench", response_class=FileResponse)
def codabench(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """The bundle for CodaBench; it has the truth."""
    path = exports.exported(site, visitor, edition, "codabench")
    return download_file(path, f"{edition}-codabench.zip", "application/zip")


@SETTINGS.get("/archive", response_class=FileResponse)
def archive(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """Everything of a contest that was revealed, for everybody."""
    path = exports.exported(site, visitor, edition, "archive")
    return download_file(path, f"{edition}.zip", "application/zip")
