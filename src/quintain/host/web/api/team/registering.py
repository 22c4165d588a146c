"""Registering: register a team, join one, and look after its members."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from quintain.host.teams.links import (
    MOST_USES,
    make_team_link,
    revoke_team_link,
    team_links,
)
from quintain.host.teams.members import (
    hand_over_captaincy,
    join_team,
    leave_team,
    remove_member,
)
from quintain.host.teams.overview import TeamOverview, overview_for
from quintain.host.teams.registration import register
from quintain.host.web.requests import SiteOf, VisitorOf

TEAM = APIRouter(prefix="/editions/{edition}/team", tags=["teams"])

Number = Annotated[int, Field(ge=1, lt=2**31)]
Secret = Annotated[str, Field(max_length=200)]


class Registration(BaseModel):
    """A team that wants to take part.

    Parameters
    ----------
    id : the wished id; by default one is made from the name.
    link : the secret of an invitation, where only invited teams can register.
    """

    name: Annotated[str, Field(max_length=400)]
    id: Annotated[str, Field(max_length=64)] = ""
    affiliation: Annotated[str, Field(max_length=400)] = ""
    link: Secret = ""


class Registered(BaseModel):
    """A team after registration: its id, and "waiting" or "joining"."""

    id: str
    state: str


class LinkWish(BaseModel):
    """A new link: how often it can be used."""

    uses: Annotated[int, Field(ge=1, le=MOST_USES)] = 1


class NewTeamLink(BaseModel):
    """A new link; the secret is shown this one time."""

    id: int
    secret: str


class TeamLink(BaseModel):
    """A link of the team, without its secret."""

    id: int
    left: int
    created: datetime
    expires: datetime


class LinkUse(BaseModel):
    """The secret of a captain's link."""

    link: Secret


class Joined(BaseModel):
    """The team that a person is in now."""

    team: str


class Captaincy(BaseModel):
    """The member who becomes the captain."""

    account: Number


@TEAM.post("", status_code=201)
def register_team(edition: str, wish: Registration, site: SiteOf, visitor: VisitorOf) -> Registered:
    """Register a team; you become its captain."""
    row = register(
        site,
        visitor,
        edition,
        wish.name,
        wished_id=wish.id,
        affiliation=wish.affiliation,
        link=wish.link,
    )
    return Registered(id=row.id, state=row.state)


@TEAM.get("")
def show_team(edition: str, site: SiteOf, visitor: VisitorOf) -> TeamOverview:
    """Your team: people, phases, limits and the next deadline."""
    return overview_for(site, visitor, edition)


@TEAM.post("/join")
def join(edition: str, use: LinkUse, site: SiteOf, visitor: VisitorOf) -> Joined:
    """Join a team with its captain's link."""
    return Joined(team=join_team(site, visitor, edition, use.link))


@TEAM.post("/leave", status_code=204)
def leave(edition: str, site: SiteOf, visitor: VisitorOf) -> None:
    """Leave your team."""
    leave_team(site, visitor, edition)


@TEAM.get("/links")
def list_links(edition: str, site: SiteOf, visitor: VisitorOf) -> list[TeamLink]:
    """The valid links of your team; for its captain."""
    return [
        TeamLink(id=one.id, left=one.left, created=one.created, expires=one.expires)
        for one in team_links(site, visitor, edition)
    ]


@TEAM.post("/links", status_code=201)
def make_link(edition: str, wish: LinkWish, site: SiteOf, visitor: VisitorOf) -> NewTeamLink:
    """Make a link with which people join your team; for its captain."""
    link = make_team_link(site, visitor, edition, uses=wish.uses)
    return NewTeamLink(id=link.number, secret=link.secret)


@TEAM.delete("/links/{link}", status_code=204)
def revoke_link(edition: str, link: int, site: SiteOf, visitor: VisitorOf) -> None:
    """Revoke a link; for the captain."""
    revoke_team_link(site, visitor, edition, link)


@TEAM.delete("/members/{account}", status_code=204)
def remove(edition: str, account: int, site: SiteOf, visitor: VisitorOf) -> None:
    """Take a member out of your team; for its captain."""
    remove_member(site, visitor, edition, account)


@TEAM.put("/captain", status_code=204)
def hand_over(edition: str, wish: Captaincy, site: SiteOf, visitor: VisitorOf) -> None:
    """Make another member the captain; for the captain."""
    hand_over_captaincy(site, visitor, edition, wish.account)
