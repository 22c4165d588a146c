"""Steps: prepare, hand over, score, freeze, reveal and export."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from quintain.host.organising import exports, steps
from quintain.host.organising.overview import overview
from quintain.host.web.api.organise.fields import EditionId
from quintain.host.web.pages.organise.forms import LineField, done, number, organise_page
from quintain.host.web.requests import SiteOf, VisitorOf
from quintain.host.web.security.downloads import download_file
from quintain.host.web.security.limiting import limit_codes

STEPS = APIRouter(prefix="/organise/{edition}")

_ASKED = "The workers were asked to do it; this page shows how it goes."


@STEPS.get("/steps")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The steps of a contest, and which of them are done."""
    seen = overview(site, visitor, edition)
    files = {
        kind: site.exported(edition, f"{kind}.zip").is_file() for kind in ("archive", "codabench")
    }
    return organise_page(request, "steps", seen.edition, seen=seen, files=files)


@STEPS.post("/steps/prepare")
def prepare(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    beacon: LineField = "",
    track: LineField = "",
    seed: LineField = "",
) -> Response:
    """Fix the rules and draw the data, or prepare the next round."""
    tracks = (track,) if track else ()
    public = number(seed, "seed")
    steps.prepare(site, visitor, edition, beacon=beacon.strip(), tracks=tracks, seed=public)
    return done(request, edition, "/steps", _ASKED)


@STEPS.post("/steps/hand-over")
def hand_over(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    track: LineField = "",
) -> Response:
    """Give the releases of a track to the attackers."""
    steps.hand_over(site, visitor, edition, track or None)
    return done(request, edition, "/steps", _ASKED)


@STEPS.post("/steps/score")
def score(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> Response:
    """Score now, although nothing new happened."""
    steps.score(site, visitor, edition)
    return done(request, edition, "/steps", _ASKED)


@STEPS.post("/steps/freeze")
def freeze(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    reason: LineField = "",
) -> Response:
    """End the contest."""
    steps.freeze(site, visitor, edition, reason)
    return done(request, edition, "/steps", _ASKED)


@STEPS.post("/steps/reveal")
def reveal(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    confirmed: LineField = "",
    code: LineField = "",
) -> Response:
    """Publish every secret."""
    limit_codes(request, visitor.require_organiser(edition))
    steps.reveal(site, visitor, edition, confirmed, code)
    return done(request, edition, "/steps", _ASKED)


@STEPS.post("/steps/archive")
def make_archive(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> Response:
    """Make the archive of a contest that was revealed."""
    exports.request_archive(site, visitor, edition)
    return done(request, edition, "/steps", _ASKED)


@STEPS.post("/steps/codabench")
def make_codabench(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    track: LineField = "",
) -> Response:
    """Make a bundle for CodaBench."""
    exports.request_codabench(site, visitor, edition, track or None)
    return done(request, edition, "/steps", _ASKED)


@STEPS.get("/codabench.zip")
def codabench(site: SiteOf, visitor: VisitorOf, edition: EditionId) -> FileResponse:
    """The bundle for CodaBench, for organisers alone."""
    path = exports.exported(site, visitor, edition, "codabench")
    return download_file(path, f"{edition}-codabench.zip", "application/zip")
