"""Teams: approve, refuse, limit, disqualify and invite them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from quintain.host.access import NotThere, Visitor
from quintain.host.organising import invitations, registrations
from quintain.host.organising.overview import overview
from quintain.host.site import Site
from quintain.host.web.api.organise import teams as commands
from quintain.host.web.api.organise.fields import EditionId, TeamId
from quintain.host.web.api.organise.steps import decide
from quintain.host.web.pages.command_form import Facts, add_form
from quintain.host.web.pages.organise.forms import (
    organise_page,
)
from quintain.host.web.requests import SiteOf, VisitorOf

TEAMS = APIRouter(prefix="/organise/{edition}/teams")


@TEAMS.get("")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """All teams, and the invitations that are valid."""
    return _shown(request, site, visitor, edition)


@TEAMS.get("/{team}")
def read_team(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, team: TeamId
) -> HTMLResponse:
    """One team, and what organisers can do with it."""
    rows = {one.team.id: one for one in registrations.teams_of(site, visitor, edition)}
    if team not in rows:
        raise NotThere(f"there is no team {team!r}")
    seen = overview(site, visitor, edition)
    return organise_page(request, "team", seen.edition, seen=seen, one=rows[team])


def _show_link(request: Request, facts: Facts) -> HTMLResponse:
    """The page with a new link, whose secret is shown once: so it is not a redirect."""
    site, edition = facts["site"], facts["edition"]
    place = "join" if facts["team"] else "register"
    link = f"{site.settings.url}/contests/{edition}/{place}?link={facts['secret']}"
    return _shown(request, site, facts["visitor"], edition, link)


_BACK = "/organise/{edition}/teams"
for path, command, back, notice in (
    ("/{team}/approve", commands.approve, _BACK, "Team {team} takes part."),
    ("/{team}/refuse", commands.refuse, _BACK, "Team {team} was refused."),
    ("/{team}/competing", commands.set_competing, _BACK, "Team {team} was changed."),
    ("/{team}/limits", commands.set_limits, _BACK + "/{team}", "The limits are being recorded."),
    ("/invitations/{link}/revoke", commands.revoke, _BACK, "The invitation is not valid any more."),
):
    add_form(TEAMS, path, command, back=back, notice=notice)
add_form(TEAMS, "/invitations/new", commands.invite, render=_show_link)
add_form(
    TEAMS,
    "/{team}/decide",
    decide,
    back=_BACK + "/{team}",
    notice="The decision is being recorded.",
    from_path={"team": TeamId},
)


def _shown(
    request: Request, site: Site, visitor: Visitor, edition: str, link: str = ""
) -> HTMLResponse:
    seen = overview(site, visitor, edition)
    return organise_page(
        request,
        "teams",
        seen.edition,
        seen=seen,
        teams=registrations.teams_of(site, visitor, edition),
        invitations=invitations.invitations(site, visitor, edition),
        link=link,
    )
