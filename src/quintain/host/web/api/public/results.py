"""Results: standings, matrix, events and checkpoints of a contest, as JSON."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.views.contest import contest_for
from quintain.host.views.matrix import MatrixView, matrix_view
from quintain.host.views.standings import StandingsView, standings
from quintain.host.views.trust import EventView, TrustView, events, trust
from quintain.host.web.requests import SiteOf, VisitorOf

RESULTS = APIRouter(prefix="/editions/{edition}", tags=["results"])


@RESULTS.get("/standings")
def show_standings(edition: str, site: SiteOf, visitor: VisitorOf) -> StandingsView:
    """The boards after the reveal; before it, what teams may see and what luck gives."""
    return standings(site, contest_for(site, visitor, edition))


@RESULTS.get("/matrix/{track}")
def show_matrix(edition: str, track: str, site: SiteOf, visitor: VisitorOf) -> MatrixView:
    """Every attacker on every entry of a track, after the reveal."""
    return matrix_view(site, contest_for(site, visitor, edition), track)


@RESULTS.get("/events")
def list_events(edition: str, site: SiteOf, visitor: VisitorOf) -> list[EventView]:
    """What happened so far, as far as everybody may know it."""
    return events(site, contest_for(site, visitor, edition))


@RESULTS.get("/trust")
def show_trust(edition: str, site: SiteOf, visitor: VisitorOf) -> TrustView:
    """Commitments and signed checkpoints; keep them to verify the contest later."""
    return trust(site, contest_for(site, visitor, edition))
