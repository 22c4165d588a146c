"""Rules: longer phases, other rules, and second judgements."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from quintain.errors import EditionError
from quintain.host.access import Visitor
from quintain.host.organising import changes, rejudging
from quintain.host.organising.difference import moves
from quintain.host.organising.overview import overview
from quintain.host.site import Site
from quintain.host.web.api.organise.fields import EditionId, Number
from quintain.host.web.pages.organise.forms import LineField, TextField, done, organise_page
from quintain.host.web.requests import SiteOf, VisitorOf

RULES = APIRouter(prefix="/organise/{edition}")


@RULES.get("/rules")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The phases, the rules, and the forms to change them."""
    return _shown(request, site, visitor, edition)


@RULES.post("/rules/extend")
def extend(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    track: LineField,
    phase: LineField,
    until: LineField,
    reason: LineField = "",
) -> Response:
    """Let a phase close later."""
    moment = changes.utc_time(until)
    changes.extend(site, visitor, edition, track, phase, moment, reason)
    return done(request, edition, "/rules", "The extension is being recorded.")


@RULES.post("/rules/amend")
def amend(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    toml: TextField,
    reason: LineField = "",
) -> Response:
    """Put other rules in force."""
    text = toml.replace("\r\n", "\n")
    try:
        changes.amend(site, visitor, edition, text, reason)
    except EditionError as problem:
        return _shown(request, site, visitor, edition, text, reason, problem)
    return done(request, edition, "/jobs", "The amendment waits for a worker.")


@RULES.get("/rejudging")
def list_rejudgings(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """All second judgements, and the form for another one."""
    row = overview(site, visitor, edition).edition
    judgements = rejudging.rejudgings(site, visitor, edition)
    return organise_page(request, "rejudgings", row, judgements=judgements, faults=[], text="")


@RULES.post("/rejudging")
def start(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    reason: LineField = "",
    toml: TextField = "",
) -> Response:
    """Judge the contest a second time."""
    text = toml.replace("\r\n", "\n")
    try:
        number = rejudging.start(site, visitor, edition, reason, text)
    except EditionError as problem:
        row = overview(site, visitor, edition).edition
        judgements = rejudging.rejudgings(site, visitor, edition)
        shown = {"judgements": judgements, "faults": _lines(problem), "text": text}
        return organise_page(request, "rejudgings", row, problem.status, **shown)
    notice = "A worker judges a copy. Load this page again."
    return done(request, edition, f"/rejudging/{number}", notice)


@RULES.get("/rejudging/{number}")
def read_rejudging(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> HTMLResponse:
    """What a second judgement would change."""
    judgement = rejudging.rejudging(site, visitor, edition, number)
    row = overview(site, visitor, edition).edition
    places = moves(judgement.difference)
    return organise_page(request, "rejudging", row, judgement=judgement, moves=places)


@RULES.post("/rejudging/{number}/apply")
def apply(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> Response:
    """Make a second judgement the one that counts."""
    rejudging.apply(site, visitor, edition, number)
    return done(request, edition, f"/rejudging/{number}", "It is being applied.")


@RULES.post("/rejudging/{number}/drop")
def drop(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> Response:
    """Forget a second judgement."""
    rejudging.drop(site, visitor, edition, number)
    return done(request, edition, "/rejudging", f"The second judgement {number} is dropped.")


def _lines(problem: EditionError | None) -> list[str]:
    return [] if problem is None else [str(fault) for fault in problem.faults]


def _shown(
    request: Request,
    site: Site,
    visitor: Visitor,
    edition: str,
    text: str | None = None,
    reason: str = "",
    problem: EditionError | None = None,
) -> HTMLResponse:
    seen = overview(site, visitor, edition)
    return organise_page(
        request,
        "rules",
        seen.edition,
        200 if problem is None else problem.status,
        seen=seen,
        text=seen.edition.toml if text is None else text,
        reason=reason,
        faults=_lines(problem),
    )
