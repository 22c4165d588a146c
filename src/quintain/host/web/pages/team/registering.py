"""Registering: the pages on which people register a team or join one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from quintain.host.teams.links import contest_with_link
from quintain.host.teams.members import join_team, team_behind
from quintain.host.teams.registration import register
from quintain.host.web.flash import redirect
from quintain.host.web.pages.account.forms import Text, or_again
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

REGISTERING = APIRouter(prefix="/contests/{edition}")

Secret = Annotated[str, Form(max_length=200)]
SecretInAddress = Annotated[str, Query(max_length=200)]


@REGISTERING.get("/register")
def register_page(
    request: Request, edition: str, site: SiteOf, visitor: VisitorOf, link: SecretInAddress = ""
) -> Response:
    """The form for a new team; an invitation brings its secret along."""
    row = contest_with_link(site, visitor, edition, "edition", link)
    if edition in visitor.teams:
        return redirect(request, f"/contests/{edition}/team")
    empty: dict[str, Any] = {"name": "", "id": "", "affiliation": "", "problem": ""}
    return page(request, "team/register.html.j2", edition=row, link=link, **empty)


@REGISTERING.post("/register")
def register_form(
    request: Request,
    edition: str,
    site: SiteOf,
    visitor: VisitorOf,
    name: Text = "",
    id: Text = "",
    affiliation: Text = "",
    link: Secret = "",
) -> Response:
    """Register a team."""
    row = contest_with_link(site, visitor, edition, "edition", link)

    def work() -> Response:
        team = register(
            site, visitor, edition, name, wished_id=id, affiliation=affiliation, link=link
        )
        waits = team.state == "waiting"
        sentence = "The organisers will look at it." if waits else "It takes part in a moment."
        place = f"/contests/{edition}/team"
        return redirect(request, place, f"Team {team.name} is registered. {sentence}")

    fields = {"name": name, "id": id, "affiliation": affiliation, "link": link}
    return or_again(request, "team/register.html.j2", work, edition=row, **fields)


@REGISTERING.get("/join")
def join_page(
    request: Request, edition: str, site: SiteOf, visitor: VisitorOf, link: SecretInAddress = ""
) -> Response:
    """Ask a person whether to join the team that a link is for."""
    row = contest_with_link(site, visitor, edition, "team", link)
    if visitor.account is None:
        return page(request, "team/join.html.j2", 401, edition=row, team=None, link=link)
    team = team_behind(site, visitor, edition, link)
    return page(request, "team/join.html.j2", edition=row, team=team, link=link)


@REGISTERING.post("/join")
def join_form(
    request: Request, edition: str, site: SiteOf, visitor: VisitorOf, link: Secret = ""
) -> Response:
    """Join a team."""
    join_team(site, visitor, edition, link)
    return redirect(request, f"/contests/{edition}/team", "You are in the team.")
