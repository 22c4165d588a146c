"""Team page: the people of a team, its phases, its limits and its next deadline."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from quintain.host.access import Visitor
from quintain.host.editions.shown_rules import contest_state
from quintain.host.intake.questionnaire import KNOWN_METHODS
from quintain.host.intake.uploads_shown import uploads_for
from quintain.host.site import Site
from quintain.host.teams.files import own_files
from quintain.host.teams.kits import Kit, ask_again, kit_for
from quintain.host.teams.links import make_team_link, revoke_team_link, team_links
from quintain.host.teams.members import hand_over_captaincy, leave_team, remove_member
from quintain.host.teams.overview import overview_for
from quintain.host.views.timeline import duration_words
from quintain.host.web.flash import redirect
from quintain.host.web.pages.render import page
from quintain.host.web.pages.team.contest_row import contest_row
from quintain.host.web.requests import SiteOf, VisitorOf

TEAM = APIRouter(prefix="/contests/{edition}/team")

Number = Annotated[int, Form(ge=1, lt=2**31)]

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


@TEAM.post("/kit")
def kit_form(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """Ask a worker once more for a kit that could not be made."""
    ask_again(site, visitor, edition)
    return redirect(request, f"/contests/{edition}/team", "The kit is being made.")


@TEAM.post("/links")
def link_form(
    request: Request,
    edition: str,
    site: SiteOf,
    visitor: VisitorOf,
    uses: Annotated[int, Form(ge=1, le=1000)] = 1,
) -> Response:
    """Make a link; it is shown on this one page, because nobody can read it again."""
    link = make_team_link(site, visitor, edition, uses=uses)
    address = f"{site.settings.url}/contests/{edition}/join?link={link.secret}"
    return page(request, "team/team.html.j2", **_facts(site, visitor, edition), new_link=address)


@TEAM.post("/links/{link}/revoke")
def revoke_form(
    request: Request, edition: str, link: int, site: SiteOf, visitor: VisitorOf
) -> Response:
    """Make a link useless."""
    revoke_team_link(site, visitor, edition, link)
    return redirect(request, f"/contests/{edition}/team", "The link does not work any more.")


@TEAM.post("/members/{account}/remove")
def remove_form(
    request: Request, edition: str, account: int, site: SiteOf, visitor: VisitorOf
) -> Response:
    """Take a member out of the team."""
    remove_member(site, visitor, edition, account)
    return redirect(request, f"/contests/{edition}/team", "The person is no longer in the team.")


@TEAM.post("/captain")
def captain_form(
    request: Request, edition: str, site: SiteOf, visitor: VisitorOf, account: Number
) -> Response:
    """Make another member the captain."""
    hand_over_captaincy(site, visitor, edition, account)
    return redirect(request, f"/contests/{edition}/team", "The team has a new captain.")


@TEAM.post("/leave")
def leave_form(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """Leave the team."""
    leave_team(site, visitor, edition)
    return redirect(request, f"/contests/{edition}", "You have left the team.")


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
