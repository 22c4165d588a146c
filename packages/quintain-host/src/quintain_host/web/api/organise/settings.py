"""Settings: who sees a contest, organises it and takes part in it, its news and its exports."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from quintain_host.organising import registrations, settings, steps, team_file, team_lists
from quintain_host.organising.settings import change_settings
from quintain_host.teams.invitations import invite_teams
from quintain_host.web.api.organise.fields import (
    Done,
    EditionId,
    Limit,
    Limits,
    Line,
    MailedLinks,
    MailsSent,
    Number,
    RequestBody,
    Started,
    TeamId,
    Text,
)
from quintain_host.web.api.organise.steps import OneTrack
from quintain_host.web.requests import SiteOf, VisitorOf
from quintain_host.web.security.downloads import download, download_file

SETTINGS = APIRouter(prefix="/editions/{edition}")

Registration = Literal["open", "approval", "invitation", "closed"]


class SettingsView(BaseModel):
    """The settings of a contest."""

    visible: bool
    registration: str
    team_size: int | None
    max_teams: int | None
    language: str | None
    organisers: str
    call: str


class NewSettings(RequestBody):
    """Settings to change; what is left out stays as it is."""

    visible: bool | None = None
    registration: Registration | None = None
    team_size: Limit = None
    max_teams: Limit = None
    language: Annotated[str | None, Field(max_length=10)] = None
    organisers: Line | None = None
    call: Text | None = None

    @classmethod
    def read_form(cls, fields: Mapping[str, str]) -> dict[str, Any]:
        """From a form, which shows all settings: an empty field lifts a limit."""
        return {
            "visible": fields.get("visible", "no"),
            "registration": fields.get("registration"),
            "team_size": fields.get("team_size") or None,
            "max_teams": fields.get("max_teams") or None,
            "language": fields.get("language") or None,
            "organisers": fields.get("organisers", ""),
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
    never = ("visible", "registration", "organisers", "call")
    values = {k: v for k, v in values.items() if v is not None or k not in never}
    row = change_settings(site, visitor, edition, **values)
    return SettingsView(**{name: getattr(row, name) for name in SettingsView.model_fields})


@SETTINGS.post("/organise/news", status_code=201)
def publish(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewNews) -> Published:
    """Publish a piece of news."""
    return Published(news=settings.publish_news(site, visitor, edition, given.title, given.text))


@SETTINGS.delete("/organise/news/{number}")
def withdraw(site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number) -> Done:
    """Take a piece of news back."""
    settings.withdraw_news(site, visitor, edition, number)
    return Done()


@SETTINGS.get("/organise/organisers")
def list_organisers(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> list[PersonView]:
    """Who organises a contest."""
    people = settings.organisers_of(site, visitor, edition)
    return [PersonView(account=person.account, name=person.name) for person in people]


@SETTINGS.post("/organise/organisers", status_code=201)
def name_organiser(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: NewOrganiser
) -> PersonView:
    """Let somebody organise a contest; only operators can."""
    person = settings.name_organiser(site, visitor, edition, given.email)
    return PersonView(account=person.account, name=person.name)


@SETTINGS.delete("/organise/organisers/{account}")
def remove_organiser(site: SiteOf, visitor: VisitorOf, edition: EditionId, account: Number) -> Done:
    """Somebody no longer organises a contest; only operators can say so."""
    settings.remove_organiser(site, visitor, edition, account)
    return Done()


@SETTINGS.post("/organise/archive", status_code=202)
def make_archive(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Started:
    """Make the archive of a contest that was revealed."""
    return Started(job=steps.request_archive(site, visitor, edition))


@SETTINGS.post("/organise/codabench", status_code=202)
def make_codabench(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: OneTrack
) -> Started:
    """Make a bundle of the current phase for CodaBench."""
    return Started(job=steps.request_codabench(site, visitor, edition, given.track))


@SETTINGS.get("/organise/codabench", response_class=FileResponse)
def codabench(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """The bundle for CodaBench; it has the truth."""
    path = steps.export_path(site, visitor, edition, "codabench")
    return download_file(path, f"{edition}-codabench.zip", "application/zip")


@SETTINGS.get("/archive", response_class=FileResponse)
def archive(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """Everything of a contest that was revealed, for everybody."""
    path = steps.export_path(site, visitor, edition, "archive")
    return download_file(path, f"{edition}.zip", "application/zip")


TEAMS = APIRouter(prefix="/editions/{edition}/organise")


class RegistrationView(BaseModel):
    """A team, as its organisers see it."""

    team: str
    name: str
    affiliation: str
    state: str
    reason: str
    competing: bool
    members: int
    limits: str
    disqualified: str
    created: datetime


class SeveralTeams(RequestBody):
    """The ids of teams."""

    team: Annotated[list[Line], Field(max_length=10_000)]


class TeamTable(RequestBody):
    """A table of teams (CSV) with the columns team, decision and reason."""

    table: Annotated[str, Field(max_length=1_000_000)]


class TeamsChanged(BaseModel):
    """How many teams were changed."""

    teams: int


class ReachableModel(BaseModel):
    """A member of a team, with the address."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    email: str
    captain: bool


class SentUpload(BaseModel):
    """An upload of a team, with the hash of each file."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    arrived: datetime
    track: str
    phase: str
    kind: str
    state: str
    files: dict[str, str]


class TeamFileModel(BaseModel):
    """The people of a team, and what it sent, the newest first."""

    people: list[ReachableModel]
    uploads: list[SentUpload]

    @classmethod
    def of(cls, view: team_file.TeamFileView) -> TeamFileModel:
        """A team for JSON."""
        return cls.model_validate(view, from_attributes=True)


SentName = Annotated[str, Path(max_length=255)]


class Approving(RequestBody):
    """How a team takes part."""

    competing: bool = True
    limits: Limits = Limits()

    @classmethod
    def read_form(cls, fields: Mapping[str, str]) -> dict[str, Any]:
        """From a form, in which an empty limit is that of the phase."""
        limits = {name: fields[name] for name in Limits.model_fields if fields.get(name)}
        return {"competing": fields.get("competing") or True, "limits": limits}


class Reason(RequestBody):
    """Why; the team can read it."""

    reason: Line


class Competing(RequestBody):
    """Whether a team gets a rank."""

    competing: bool


class NewLimits(Limits):
    """Other limits of a team, and why."""

    reason: Line


class Inviting(RequestBody):
    """For whom a link is, how often it can be used, and for how many days."""

    note: Line = ""
    uses: int = Field(default=1, ge=1, le=500)
    days: int | None = Field(default=None, ge=1, le=365)
    team: Line | None = None


class Invitation(BaseModel):
    """A new link; its secret is shown this once."""

    secret: str


class InvitationView(BaseModel):
    """A valid link without its secret."""

    id: int
    note: str
    left: int
    expires: datetime


@TEAMS.get("/registrations")
def list_registrations(
    site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> list[RegistrationView]:
    """All teams, those first that wait for an answer."""
    return [_view(team) for team in registrations.teams_of(site, visitor, edition)]


def _view(one: registrations.TeamForOrganisers) -> RegistrationView:
    row = one.team
    return RegistrationView(
        team=row.id,
        name=row.name,
        affiliation=row.affiliation,
        state=row.state,
        reason=row.reason,
        competing=row.competing,
        members=one.members,
        limits=one.limits,
        disqualified=one.disqualified,
        created=row.created,
    )


@TEAMS.post("/registrations/approve")
def approve_several(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: SeveralTeams
) -> TeamsChanged:
    """Let several teams take part, or none of them."""
    return TeamsChanged(teams=team_lists.approve_teams(site, visitor, edition, given.team))


@TEAMS.get("/registrations.csv", response_class=Response)
def read_table(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Response:
    """All teams with their people as a table (CSV); the look is recorded."""
    content = team_lists.write_table(site, visitor, edition)
    return download(content, f"{edition}-teams.csv", "text/csv; charset=utf-8")


@TEAMS.post("/registrations.csv")
def answer_table(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: TeamTable
) -> TeamsChanged:
    """Approve and refuse teams as a table says, or none of them."""
    content = given.table.encode()
    return TeamsChanged(teams=team_lists.answer_table(site, visitor, edition, content))


@TEAMS.get("/registrations/{team}")
def look_at_team(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, team: TeamId
) -> TeamFileModel:
    """The people of a team with their addresses, and what it sent; the look is recorded."""
    return TeamFileModel.of(team_file.look_at_team(site, visitor, edition, team))


@TEAMS.get("/registrations/{team}/uploads/{number}/{name}", response_class=Response)
def look_at_upload(
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    team: TeamId,
    number: Number,
    name: SentName,
) -> Response:
    """A file that a team sent; the look is recorded."""
    content = team_file.look_at_upload(site, visitor, edition, team, number, name)
    return download(content, f"{team}-{number}-{name}")


@TEAMS.post("/registrations/{team}/approve")
def approve(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, team: TeamId, given: Approving
) -> Done:
    """Let a team take part."""
    limits = given.limits.quota()
    registrations.approve(site, visitor, edition, team, competing=given.competing, limits=limits)
    return Done()


@TEAMS.post("/registrations/{team}/refuse")
def refuse(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, team: TeamId, given: Reason
) -> Done:
    """Refuse a team with a reason."""
    registrations.refuse(site, visitor, edition, team, given.reason)
    return Done()


@TEAMS.put("/registrations/{team}/competing")
def set_competing(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, team: TeamId, given: Competing
) -> Done:
    """Say whether a team that has not joined yet gets a rank."""
    registrations.set_competing(site, visitor, edition, team, given.competing)
    return Done()


@TEAMS.put("/registrations/{team}/limits")
def set_limits(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, team: TeamId, given: NewLimits
) -> Done:
    """Give a team other limits."""
    registrations.set_limits(site, visitor, edition, team, given.quota(), given.reason)
    return Done()


@TEAMS.get("/invitations")
def list_invitations(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> list[InvitationView]:
    """The valid invitations."""
    return [
        InvitationView(id=link.id, note=link.note, left=link.left, expires=link.expires)
        for link in registrations.invitations(site, visitor, edition)
    ]


@TEAMS.post("/invitations", status_code=201)
def invite(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Inviting) -> Invitation:
    """Make a link with which people register a team, or join one."""
    options = given.model_dump()
    return Invitation(secret=registrations.invite(site, visitor, edition, **options))


@TEAMS.post("/invitations/mail", status_code=202)
def mail_invitations(
    site: SiteOf, visitor: VisitorOf, edition: EditionId, given: MailedLinks
) -> MailsSent:
    """Invite people by mail to register a team, each with a link of their own."""
    return MailsSent(people=invite_teams(site, visitor, edition, given.addresses))


@TEAMS.delete("/invitations/{link}")
def revoke(site: SiteOf, visitor: VisitorOf, edition: EditionId, link: Number) -> Done:
    """Revoke an invitation."""
    registrations.revoke_invitation(site, visitor, edition, link)
    return Done()
