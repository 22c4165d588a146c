"""The public part of the API: what everybody may know of the contests of a site."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from quintain.contests.words import RulesView, rules_in_words
from quintain_host.editions.shown import editions_for
from quintain_host.views.checkpoints import ClosingView, LogHead, closings, log_head
from quintain_host.views.contest import (
    ContestView,
    NewsView,
    TeamView,
    contest_for,
    news,
    summary,
    teams,
)
from quintain_host.views.matrix import MatrixView, matrix_view
from quintain_host.views.own_look import CustomPageTitle, CustomPageView, custom_page, own_look
from quintain_host.views.published import PublishedFile, public_files, published_files
from quintain_host.views.standings import StandingsView, standings
from quintain_host.views.trust import EventView, TrustView, events, trust
from quintain_host.web.requests import SiteOf, VisitorOf

EDITIONS = APIRouter(tags=["contests"])


class EditionSummary(BaseModel):
    """An edition in a list."""

    id: str
    title: str
    state: str


@EDITIONS.get("/editions")
def list_editions(site: SiteOf, visitor: VisitorOf) -> list[EditionSummary]:
    """The contests that you may see."""
    return [
        EditionSummary(id=edition.id, title=edition.title, state=edition.state)
        for edition in editions_for(site, visitor)
    ]


@EDITIONS.get("/audit-log")
def show_end_of_log(site: SiteOf) -> LogHead:
    """The end of the audit log of this site; keep it to see later if somebody changed the log."""
    return log_head(site)


CONTESTS = APIRouter(prefix="/editions/{edition}", tags=["contests"])


class FilesView(BaseModel):
    """What everybody can download.

    Parameters
    ----------
    public : at ``/contests/EDITION/files/PATH``.
    published : after the reveal, at ``/contests/EDITION/files/NAME``.
    """

    public: list[str]
    published: list[PublishedFile]


@CONTESTS.get("")
def show_contest(edition: str, site: SiteOf, visitor: VisitorOf) -> ContestView:
    """A contest: its call, its stage and its phases with their dates."""
    return summary(contest_for(site, visitor, edition))


@CONTESTS.get("/rules")
def show_rules(edition: str, site: SiteOf, visitor: VisitorOf) -> RulesView:
    """The rules in words; the file ``public/edition.json`` has them for programs."""
    contest = contest_for(site, visitor, edition)
    return rules_in_words(contest.fixed, len(contest.state.rules))


@CONTESTS.get("/teams")
def list_teams(edition: str, site: SiteOf, visitor: VisitorOf) -> list[TeamView]:
    """The teams that take part; after the reveal with their descriptions."""
    return teams(site, contest_for(site, visitor, edition))


@CONTESTS.get("/news")
def list_news(edition: str, site: SiteOf, visitor: VisitorOf) -> list[NewsView]:
    """What the organisers told everybody, the newest first."""
    return news(site, contest_for(site, visitor, edition).id)


@CONTESTS.get("/pages")
def list_custom_pages(edition: str, site: SiteOf, visitor: VisitorOf) -> list[CustomPageTitle]:
    """The pages that the organisers wrote."""
    return list(own_look(site, contest_for(site, visitor, edition).id).pages)


@CONTESTS.get("/pages/{name}")
def show_custom_page(edition: str, name: str, site: SiteOf, visitor: VisitorOf) -> CustomPageView:
    """A page that the organisers wrote; Markdown."""
    return custom_page(site, contest_for(site, visitor, edition).id, name)


@CONTESTS.get("/files")
def list_files(edition: str, site: SiteOf, visitor: VisitorOf) -> FilesView:
    """The files that everybody can download."""
    contest = contest_for(site, visitor, edition)
    return FilesView(public=public_files(site, contest), published=published_files(site, contest))


RESULTS = APIRouter(prefix="/editions/{edition}", tags=["results"])


@RESULTS.get("/standings")
def show_standings(edition: str, site: SiteOf, visitor: VisitorOf) -> StandingsView:
    """The boards after the reveal; before it, what teams may see and what luck gives."""
    return standings(site, contest_for(site, visitor, edition))


@RESULTS.get("/matrix/{track}")
def show_matrix(
    edition: str, track: str, site: SiteOf, visitor: VisitorOf, goal: str | None = None
) -> MatrixView:
    """Every attacker on every entry of a track, after the reveal; ``goal`` is one of several."""
    return matrix_view(site, contest_for(site, visitor, edition), track, goal)


@RESULTS.get("/events")
def list_events(edition: str, site: SiteOf, visitor: VisitorOf) -> list[EventView]:
    """What happened so far, as far as everybody may know it."""
    return events(site, contest_for(site, visitor, edition))


@RESULTS.get("/trust")
def show_trust(edition: str, site: SiteOf, visitor: VisitorOf) -> TrustView:
    """Commitments and signed checkpoints; keep them to verify the contest later."""
    return trust(site, contest_for(site, visitor, edition))


@RESULTS.get("/checkpoints")
def list_checkpoints(edition: str, site: SiteOf, visitor: VisitorOf) -> list[ClosingView]:
    """The checkpoints that were signed when phases closed, the newest first; keep them."""
    return closings(site, contest_for(site, visitor, edition))
