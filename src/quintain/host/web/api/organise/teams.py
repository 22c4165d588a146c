"""Teams: approve and refuse them, set their limits, and invite others."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from quintain.host.organising import invitations, registrations
from quintain.host.web.api.organise.fields import (
    Done,
    EditionId,
    Limits,
    Line,
    Number,
    RequestBody,
    TeamId,
)
from quintain.host.web.requests import SiteOf, VisitorOf

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
    return [_view(one) for one in registrations.teams_of(site, visitor, edition)]


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
        InvitationView(id=one.id, note=one.note, left=one.left, expires=one.expires)
        for one in invitations.invitations(site, visitor, edition)
    ]


@TEAMS.post("/invitations", status_code=201)
def invite(site: SiteOf, visitor: VisitorOf, edition: EditionId, given: Inviting) -> Invitation:
    """Make a link with which people register a team, or join one."""
    options = given.model_dump()
    return Invitation(secret=invitations.invite(site, visitor, edition, **options))


@TEAMS.delete("/invitations/{link}")
def revoke(site: SiteOf, visitor: VisitorOf, edition: EditionId, link: Number) -> Done:
    """Revoke an invitation."""
    invitations.revoke(site, visitor, edition, link)
    return Done()
