"""Team page: the people of a team, its phases, its limits and its next deadline."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from quintain.host.access import Visitor
from quintain.host.editions.shown_rules import contest_state
from quintain.host.intake.questionnaire import KNOWN_METHODS
from quintain.host.intake.uploads_shown import uploads_for
from quintain.host.site import Site
from quintain.host.teams.files import own_files
from quintain.host.teams.kits import Kit, kit_for
from quintain.host.teams.links import team_links
from quintain.host.teams.overview import overview_for
from quintain.host.views.timeline import duration_words
from quintain.host.web.api.team import registering as commands
from quintain.host.web.api.team.kits import make_kit_again
from quintain.host.web.pages.command_form import Facts, add_form
from quintain.host.web.pages.render import page
from quintain.host.web.pages.team.contest_row import contest_row
from quintain.host.web.requests import SiteOf, VisitorOf

TEAM = APIRouter(prefix="/contests/{edition}/team")

_NEWEST = 5


@TEAM.get("")
def team_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The team of the visitor."""
    facts = _facts(site, visitor, edition)
    return page(request, "team/team.html.j2", **facts, new_link="")


@TEAM.get("/kit/state")
def kit_part(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The part of the page about the kit, for a browser that asks again by itself."""
    kit = kit_for(site, visitor, edition)
    return page(request, "team/kit.html.j2", edition=contest_row(site, edition), kit=kit)


def _facts(site: Site, visitor: Visitor, edition: str) -> dict[str, Any]:
    team = overview_for(site, visitor, edition)
    joined = team.state == "joined"
    captain = visitor.teams[edition].captain
    return {
        "edition": contest_row(site, edition),
        "team": team,
        "captain": captain,
        "links": team_links(site, visitor, edition) if captain else [],
        "kit": kit_for(site, visitor, edition) if joined else Kit("waiting"),
        "files": own_files(site, visitor, edition) if joined else [],
        "uploads": uploads_for(site, visitor, edition, most=_NEWEST),
        "over": contest_state(site, edition).frozen is not None,
        "known_methods": KNOWN_METHODS,
        "duration_words": duration_words,
    }


def _show_link(request: Request, facts: Facts) -> Response:
    """The page with a new link, which nobody can read again."""
    site, edition = facts["site"], facts["edition"]
    address = f"{site.settings.url}/contests/{edition}/join?link={facts['secret']}"
    shown = _facts(site, facts["visitor"], edition)
    return page(request, "team/team.html.j2", **shown, new_link=address)


_BACK = "/contests/{edition}/team"
for path, command, back, notice in (
    ("/kit", make_kit_again, _BACK, "The kit is being made."),
    ("/links/{link}/revoke", commands.revoke_link, _BACK, "The link does not work any more."),
    ("/members/{account}/remove", commands.remove, _BACK, "The person is no longer in the team."),
    ("/captain", commands.hand_over, _BACK, "The team has a new captain."),
    ("/leave", commands.leave, "/contests/{edition}", "You have left the team."),
):
    add_form(TEAM, path, command, back=back, notice=notice)
add_form(TEAM, "/links", commands.make_link, render=_show_link)
