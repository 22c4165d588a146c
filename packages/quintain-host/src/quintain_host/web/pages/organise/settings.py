"""Settings: visibility, registration, the call, organisers and news; teams and invitations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, File, Request, UploadFile
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select

from quintain.figures.format import count
from quintain.wording.languages import tell, to_say
from quintain_host.access import NotThere, Visitor
from quintain_host.database.contests import News
from quintain_host.organising import registrations, settings, team_lists
from quintain_host.organising.overview import overview_of
from quintain_host.organising.settings import REGISTRATIONS
from quintain_host.organising.team_file import look_at_team
from quintain_host.organising.team_lists import BadTable
from quintain_host.site import Site
from quintain_host.web.api.organise import settings as commands
from quintain_host.web.api.organise.fields import EditionId, TeamId
from quintain_host.web.api.organise.steps import decide, extend
from quintain_host.web.pages.command_form import Facts, add_form, add_forms
from quintain_host.web.pages.organise.forms import go_to, organise_page
from quintain_host.web.pages.render import page
from quintain_host.web.requests import SiteOf, VisitorOf

SETTINGS = APIRouter(prefix="/organise/{edition}")


@SETTINGS.get("/settings")
def settings_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The settings of a contest, and who organises it."""
    row = overview_of(site, visitor, edition).edition
    people = settings.organisers_of(site, visitor, edition)
    return organise_page(request, "settings", row, people=people, modes=REGISTRATIONS)


@SETTINGS.get("/organisers")
def read_organisers(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """Who organises a contest; operators name them here, also of contests of others."""
    people = settings.organisers_of(site, visitor, edition)
    return page(request, "organise/organisers.html.j2", people=people, name=edition)


@SETTINGS.get("/news")
def read_news(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """What was published, and the form for more."""
    row = overview_of(site, visitor, edition).edition
    with site.database.reading() as session:
        own = select(News).where(News.edition == edition).order_by(News.id.desc())
        pieces = session.scalars(own).all()
    return organise_page(request, "news", row, pieces=pieces)


_ORGANISE = "/organise/{edition}"
add_forms(
    SETTINGS,
    ("/settings", commands.change, _ORGANISE + "/settings", to_say("The settings are stored.")),
    (
        "/organisers",
        commands.name_organiser,
        _ORGANISE + "/organisers",
        to_say("%(name)s organises this contest."),
    ),
    (
        "/organisers/{account}/remove",
        commands.remove_organiser,
        _ORGANISE + "/organisers",
        to_say("The person no longer organises this contest."),
    ),
    ("/news", commands.publish, _ORGANISE + "/news", to_say("The news are published.")),
    (
        "/news/{number}/withdraw",
        commands.withdraw,
        _ORGANISE + "/news",
        to_say("The piece of news is withdrawn."),
    ),
)


TEAMS = APIRouter(prefix="/organise/{edition}/teams")


@TEAMS.get("")
def teams_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """All teams, and the invitations that are valid."""
    return _show_teams(request, site, visitor, edition)


SETTINGS.get("/teams.csv")(commands.read_table)


@SETTINGS.post("/teams.csv")
def answer_table(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    file: Annotated[UploadFile, File()],
) -> Response:
    """Approve and refuse teams as a table says; its faults are shown beside the form."""
    visitor.require_organiser(edition)
    try:
        number = team_lists.answer_table(
            site, visitor, edition, file.file.read(team_lists.MOST_BYTES + 1)
        )
    except BadTable as problem:
        lines = [fault.say() for fault in problem.faults]
        return _show_teams(request, site, visitor, edition, faults=lines)
    return go_to(request, edition, "/teams", f"{count(number, 'team')} got an answer.")


@TEAMS.get("/{team}")
def read_team(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, team: TeamId
) -> HTMLResponse:
    """One team, and what organisers can do with it."""
    rows = {known.team.id: known for known in registrations.teams_of(site, visitor, edition)}
    if team not in rows:
        raise NotThere(tell("there is no team %(team)s", team=repr(team)))
    seen = overview_of(site, visitor, edition)
    file = look_at_team(site, visitor, edition, team)
    return organise_page(
        request,
        "team",
        seen.edition,
        seen=seen,
        one=rows[team],
        file=file,
        deadlines=[event for event in seen.state.deadlines.values() if event.team == team],
        extendable=list(seen.extendable(team)),
    )


TEAMS.get("/{team}/uploads/{number}/{name}")(commands.look_at_upload)


def _show_link(request: Request, facts: Facts) -> HTMLResponse:
    """The page with a new link, whose secret is shown once: so it is not a redirect."""
    site, edition = facts["site"], facts["edition"]
    place = "join" if facts["team"] else "register"
    link = f"{site.settings.url}/contests/{edition}/{place}?link={facts['secret']}"
    return _show_teams(request, site, facts["visitor"], edition, link)


_TEAMS = "/organise/{edition}/teams"
add_forms(
    TEAMS,
    ("/approve", commands.approve_several, _TEAMS, to_say("Approved: %(teams)s.")),
    ("/{team}/approve", commands.approve, _TEAMS, to_say("Team %(team)s takes part.")),
    ("/{team}/refuse", commands.refuse, _TEAMS, to_say("Team %(team)s was refused.")),
    ("/{team}/competing", commands.set_competing, _TEAMS, to_say("Team %(team)s was changed.")),
    (
        "/{team}/limits",
        commands.set_limits,
        _TEAMS + "/{team}",
        to_say("The limits are being recorded."),
    ),
    (
        "/invitations/{link}/revoke",
        commands.revoke,
        _TEAMS,
        to_say("The invitation is not valid any more."),
    ),
)
add_form(TEAMS, "/invitations/new", commands.invite, render=_show_link)
add_form(
    TEAMS,
    "/invitations/mail",
    commands.mail_invitations,
    back=_TEAMS,
    notice=to_say("%(people)s invitations are sent."),
)
add_form(
    TEAMS,
    "/{team}/decide",
    decide,
    back=_TEAMS + "/{team}",
    notice=to_say("The decision is being recorded."),
    from_path={"team": TeamId},
)


add_form(
    TEAMS,
    "/{team}/deadline",
    extend,
    back=_TEAMS + "/{team}",
    notice=to_say("The deadline is being recorded."),
    from_path={"team": TeamId},
)


def _show_teams(
    request: Request,
    site: Site,
    visitor: Visitor,
    edition: str,
    link: str = "",
    faults: Sequence[str] = (),
) -> HTMLResponse:
    seen = overview_of(site, visitor, edition)
    return organise_page(
        request,
        "teams",
        seen.edition,
        422 if faults else 200,
        faults=faults,
        seen=seen,
        teams=registrations.teams_of(site, visitor, edition),
        invitations=registrations.invitations(site, visitor, edition),
        link=link,
    )
