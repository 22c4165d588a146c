"""Contests: the overview of a contest, its rules, its teams and its news."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from quintain.contests.words import rules_in_words
from quintain.host.views.contest import contest_for, summary
from quintain.host.views.news import news
from quintain.host.views.published import published_files
from quintain.host.views.teams import teams
from quintain.host.views.timeline import duration_words
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

CONTESTS = APIRouter(prefix="/contests/{edition}")

_NEWEST = 3


@CONTESTS.get("")
def overview(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The call, the dates and the newest news."""
    contest = contest_for(site, visitor, edition)
    return page(
        request,
        "public/overview.html.j2",
        edition=contest.row,
        contest=summary(contest),
        tracks=[] if contest.rules is None else contest.rules.track,
        news=news(site, edition, _NEWEST),
        files=published_files(site, contest),
        duration_words=duration_words,
    )


@CONTESTS.get("/rules")
def rules(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The rules in words."""
    contest = contest_for(site, visitor, edition)
    view = None
    if contest.rules is not None:
        view = rules_in_words(contest.rules, len(contest.state.rules))
    return page(request, "public/rules.html.j2", edition=contest.row, rules=view)


@CONTESTS.get("/teams")
def list_teams(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The teams that take part."""
    contest = contest_for(site, visitor, edition)
    return page(
        request,
        "public/teams.html.j2",
        edition=contest.row,
        contest=summary(contest),
        teams=teams(site, contest),
        revealed=contest.revealed,
    )


@CONTESTS.get("/news")
def list_news(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """What the organisers told everybody."""
    contest = contest_for(site, visitor, edition)
    return page(request, "public/news.html.j2", edition=contest.row, news=news(site, contest.id))
