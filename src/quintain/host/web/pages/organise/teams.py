"""Teams: approve, refuse, limit, disqualify and invite them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.organising import changes, invitations, registrations
from quintain.host.organising.overview import overview
from quintain.host.site import Site
from quintain.host.web.api.organise.fields import EditionId, Number, TeamId
from quintain.host.web.pages.organise.forms import (
    LineField,
    QuotaFields,
    done,
    number,
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


@TEAMS.post("/{team}/approve")
def approve(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    team: TeamId,
    limits: QuotaFields,
    competing: LineField = "",
) -> Response:
    """Let a team take part."""
    ranked = competing != "no"
    registrations.approve(site, visitor, edition, team, competing=ranked, limits=limits)
    return done(request, edition, "/teams", f"Team {team} takes part.")


@TEAMS.post("/{team}/refuse")
def refuse(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    team: TeamId,
    reason: LineField = "",
) -> Response:
    """Refuse a team with a reason."""
    registrations.refuse(site, visitor, edition, team, reason)
    return done(request, edition, "/teams", f"Team {team} was refused.")


@TEAMS.post("/{team}/limits")
def limits(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    team: TeamId,
    new: QuotaFields,
    reason: LineField = "",
) -> Response:
    """Give a team other limits."""
    registrations.set_limits(site, visitor, edition, team, new, reason)
    return done(request, edition, f"/teams/{team}", "The limits are being recorded.")


@TEAMS.post("/{team}/competing")
def competing(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    team: TeamId,
    competing: LineField = "yes",
) -> Response:
    """Say whether a team gets a rank."""
    registrations.set_competing(site, visitor, edition, team, competing == "yes")
    return done(request, edition, "/teams", f"Team {team} was changed.")


@TEAMS.post("/{team}/decide")
def decide(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    team: TeamId,
    decision: LineField,
    reason: LineField = "",
    entry: LineField = "",
    track: LineField = "",
) -> Response:
    """Disqualify a team or one of its releases, or reinstate it."""
    if decision not in ("disqualified", "reinstated"):
        raise Refused("a decision is: disqualified or reinstated")
    what = (decision, team, reason)
    changes.decide(site, visitor, edition, *what, track=track, entry=entry)  # type: ignore[arg-type]
    return done(request, edition, f"/teams/{team}", "The decision is being recorded.")


@TEAMS.post("/invitations/new")
def invite(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    note: LineField = "",
    uses: LineField = "1",
    days: LineField = "",
    team: LineField = "",
) -> HTMLResponse:
    """Make a link; the page shows its secret once, so it is no redirect."""
    secret = invitations.invite(
        site,
        visitor,
        edition,
        note=note,
        uses=number(uses, "uses") or 1,
        days=number(days, "days"),
        team=team or None,
    )
    place = "join" if team else "register"
    link = f"{site.settings.url}/contests/{edition}/{place}?link={secret}"
    return _shown(request, site, visitor, edition, link)


@TEAMS.post("/invitations/{link}/revoke")
def revoke(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, link: Number
) -> Response:
    """Make an invitation useless."""
    invitations.revoke(site, visitor, edition, link)
    return done(request, edition, "/teams", "The invitation is not valid any more.")


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
