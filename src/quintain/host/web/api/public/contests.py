"""Contests: summary, rules, teams, news and public files of a contest, as JSON."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from quintain.contests.words import RulesView, rules_in_words
from quintain.host.views.contest import ContestView, contest_for, summary
from quintain.host.views.news import NewsView, news
from quintain.host.views.public_files import public_files
from quintain.host.views.published import PublishedFile, published_files
from quintain.host.views.teams import TeamView, teams
from quintain.host.web.requests import SiteOf, VisitorOf

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


@CONTESTS.get("/files")
def list_files(edition: str, site: SiteOf, visitor: VisitorOf) -> FilesView:
    """The files that everybody can download."""
    contest = contest_for(site, visitor, edition)
    return FilesView(public=public_files(site, contest), published=published_files(site, contest))
