"""Registering: the pages on which people register a team or join one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from quintain.errors import QuintainError
from quintain.host.teams.links import contest_with_link
from quintain.host.teams.members import team_behind
from quintain.host.web.api.team.registering import join, register_team
from quintain.host.web.flash import redirect
from quintain.host.web.pages.command_form import Facts, add_form
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

REGISTERING = APIRouter(prefix="/contests/{edition}")

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


def _welcome(request: Request, facts: Facts) -> Response:
    sentence = "The organisers will look at it."
    if facts["state"] != "waiting":
        sentence = "It takes part in a moment."
    place = f"/contests/{facts['edition']}/team"
    return redirect(request, place, f"Team {facts['name'].strip()} is registered. {sentence}")


def _show_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    fields = {name: facts[name] for name in ("name", "id", "affiliation", "link")}
    contest = (facts["site"], facts["visitor"], facts["edition"])
    row = contest_with_link(*contest, "edition", facts["link"])
    shown = {"edition": row, "problem": str(problem), **fields}
    return page(request, "team/register.html.j2", problem.status, **shown)


add_form(REGISTERING, "/register", register_team, render=_welcome, again=_show_again)
add_form(REGISTERING, "/join", join, back="/contests/{edition}/team", notice="You are in the team.")
