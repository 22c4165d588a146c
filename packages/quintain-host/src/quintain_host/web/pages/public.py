"""Public pages: what everybody may see of the contests of a site, and download."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from quintain.contests.words import rules_in_words
from quintain.figures.heat_map import sign
from quintain.journal.events import write_time
from quintain.runs.folder import paths
from quintain_host.views.checkpoints import closings, commands, feed, log_head
from quintain_host.views.contest import contest_for, duration_words, news, summary, teams
from quintain_host.views.event import attack_picture, event_of
from quintain_host.views.live_counts import rule
from quintain_host.views.matrix import matrices
from quintain_host.views.own_look import custom_page, picture_content
from quintain_host.views.published import (
    REPORT,
    public_files,
    public_path,
    published_files,
    published_path,
)
from quintain_host.views.standings import drawn_standings, podium, standings, team_names
from quintain_host.views.start import start_view
from quintain_host.views.trust import events, trust
from quintain_host.web.pages.render import ENVIRONMENT, page
from quintain_host.web.requests import SiteOf, VisitorOf

HOME = APIRouter()


@HOME.get("/")
def home(request: Request, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The contests that the visitor may see."""
    return page(
        request,
        "home.html.j2",
        contests=start_view(site, visitor),
        picture=attack_picture(),
        duration_words=duration_words,
    )


@HOME.get("/audit-log")
def audit_log(request: Request, site: SiteOf) -> HTMLResponse:
    """The end of the audit log, for everybody to keep."""
    return page(request, "public/audit_log.html.j2", head=log_head(site))


CONTESTS = APIRouter(prefix="/contests/{edition}")

_NEWEST = 3


@CONTESTS.get("")
def overview(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The call, the dates and the newest news."""
    contest = contest_for(site, visitor, edition)
    view = summary(contest)
    return page(
        request,
        "public/overview.html.j2",
        edition=contest.row,
        contest=view,
        event=event_of(site, contest, view),
        tracks=[] if contest.rules is None else contest.rules.track,
        news=news(site, edition, _NEWEST),
        files=published_files(site, contest),
        closings=closings(site, contest),
        duration_words=duration_words,
    )


@CONTESTS.get("/rules")
def rules(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The rules in words."""
    contest = contest_for(site, visitor, edition)
    view = None
    if contest.rules is not None:
        view = rules_in_words(contest.rules, len(contest.state.rules))
    return page(request, "public/rules.html.j2", edition=contest.row, rules=view, count_rule=rule())


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


@CONTESTS.get("/pages")
def list_custom_pages(
    request: Request, edition: str, site: SiteOf, visitor: VisitorOf
) -> HTMLResponse:
    """The pages that the organisers wrote."""
    contest = contest_for(site, visitor, edition)
    return page(request, "public/custom_pages.html.j2", edition=contest.row)


@CONTESTS.get("/pages/{name}")
def show_custom_page(
    request: Request, edition: str, name: str, site: SiteOf, visitor: VisitorOf
) -> HTMLResponse:
    """A page that the organisers wrote."""
    contest = contest_for(site, visitor, edition)
    custom = custom_page(site, contest.id, name)
    return page(request, "public/custom_page.html.j2", edition=contest.row, custom=custom)


_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A browser that opens a picture by itself may do nothing but show it."""


@CONTESTS.get("/pictures/{name}")
def show_picture(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """A picture of the contest, as this site encoded it."""
    contest = contest_for(site, visitor, edition)
    content, kind = picture_content(site, contest.id, name)
    headers = {"Content-Security-Policy": _PICTURE_POLICY, "Content-Disposition": "inline"}
    return Response(content, media_type=kind, headers=headers)


@CONTESTS.get("/standings")
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
        podium=None if contest.rules is None or view is None else podium(view, contest.rules),
        matrices=matrices(site, contest) if contest.revealed else [],
        drawn=drawn_standings(site, contest) if view is not None and view.final else None,
        names={} if contest.rules is None else team_names(contest.rules),
        cohorts={team.id: team.cohort for team in contest.state.roster.entrants},
    )


@CONTESTS.get("/matrix")
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


@CONTESTS.get("/trust")
def trust_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
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
        without_data=contest.rules is not None and contest.rules.reveal == "without-data",
    )


@CONTESTS.get("/checkpoints")
def checkpoints(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> HTMLResponse:
    """The checkpoints of phases that have closed, and how to keep them."""
    contest = contest_for(site, visitor, edition)
    signed = closings(site, contest)
    return page(
        request,
        "public/checkpoints.html.j2",
        edition=contest.row,
        closings=signed,
        commands=commands(site, contest, signed[0]) if signed else [],
    )


_NOT_IN_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")
"""What XML cannot have, beside the invisible characters that no page has."""


@CONTESTS.get("/feed.atom")
def feed_of_contest(edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """News and checkpoints for feed readers; everything in it is plain text."""
    contest = contest_for(site, visitor, edition)
    entries = feed(site, contest)
    content = ENVIRONMENT.get_template("public/feed.atom.j2").render(
        site=site.settings,
        edition=contest.row,
        place=f"{site.settings.url}/contests/{contest.id}",
        entries=entries,
        updated=write_time(entries[0].time if entries else contest.row.created),
    )
    return Response(
        content.translate(_NOT_IN_XML), media_type="application/atom+xml; charset=utf-8"
    )


FILES = APIRouter(prefix="/contests/{edition}/files")

SANDBOX = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox"
)
"""The report is one file of ours with its own style. Here it can run nothing and load nothing."""

_TEXTS = {".txt": "text/plain", ".pub": "text/plain", ".json": "application/json"}
_KINDS = {".csv": "text/csv", ".tsr": "application/timestamp-reply", ".zip": "application/zip"}


@FILES.get("/public/{name:path}")
def public_file(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> FileResponse:
    """A public file of the contest; of a round that has not begun, nothing is public."""
    contest = contest_for(site, visitor, edition)
    path = public_path(site, contest, f"{paths.PUBLIC}/{name}")
    inside = name.count("/") == 0 or name.startswith(("rules/", "checkpoints/", "commitments/"))
    return _send(path, path.name, shown=inside)


@FILES.get("/{name}")
def published_file(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> FileResponse:
    """A file that was published with the reveal: the archive, the report, the results."""
    contest = contest_for(site, visitor, edition)
    path = published_path(site, contest, name)
    if name == REPORT:
        return FileResponse(
            path, media_type="text/html", headers={"Content-Security-Policy": SANDBOX}
        )
    return _send(path, f"{edition}-{name}")


def _send(path: Path, name: str, *, shown: bool = False) -> FileResponse:
    """A file as a download; only texts that we made ourselves open in the browser."""
    if shown and path.suffix in _TEXTS:
        return FileResponse(path, media_type=f"{_TEXTS[path.suffix]}; charset=utf-8")
    kind = _KINDS.get(path.suffix, "application/octet-stream")
    return FileResponse(path, media_type=kind, filename=name)
