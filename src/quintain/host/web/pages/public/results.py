"""Results: standings, matrix and what binds the organisers."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from quintain.figures.heat_map import sign
from quintain.host.views.contest import contest_for, summary
from quintain.host.views.matrix import matrices
from quintain.host.views.public_files import public_files
from quintain.host.views.published import published_files
from quintain.host.views.standings import drawn_standings, standings, team_names
from quintain.host.views.trust import events, trust
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

RESULTS = APIRouter(prefix="/contests/{edition}")


@RESULTS.get("/standings")
def boards(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The boards with their intervals; before the end, what luck gives and what teams see."""
    contest = contest_for(site, visitor, edition)
    view = None if contest.rules is None else standings(site, contest)
    return page(
        request,
        "public/standings.html.j2",
        edition=contest.row,
        contest=summary(contest),
        standings=view,
        drawn=drawn_standings(site, contest) if view is not None and view.final else None,
        names={} if contest.rules is None else team_names(contest.rules),
    )


@RESULTS.get("/matrix")
def matrix(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """Every attacker on every entry, after the reveal."""
    contest = contest_for(site, visitor, edition)
    return page(
        request,
        "public/matrix.html.j2",
        edition=contest.row,
        contest=summary(contest),
        matrices=matrices(site, contest) if contest.revealed else [],
        sign=sign,
    )


@RESULTS.get("/trust")
def bound(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """Commitments, checkpoints, public files, and how to verify everything."""
    contest = contest_for(site, visitor, edition)
    fixed, files = contest.rules is not None, public_files(site, contest)
    return page(
        request,
        "public/trust.html.j2",
        edition=contest.row,
        contest=summary(contest),
        trust=trust(site, contest) if fixed else None,
        events=events(site, contest) if fixed else [],
        files=files,
        tasks=[path for path in files if "/tasks/" in path],
        published=published_files(site, contest),
    )
