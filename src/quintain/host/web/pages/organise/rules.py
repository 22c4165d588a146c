"""Rules: longer phases, other rules, and second judgements."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from quintain.errors import EditionError, QuintainError
from quintain.host.access import Visitor
from quintain.host.organising import rejudging
from quintain.host.organising.difference import moves
from quintain.host.organising.overview import overview
from quintain.host.site import Site
from quintain.host.web.api.organise import overview as commands
from quintain.host.web.api.organise import steps
from quintain.host.web.api.organise.fields import EditionId, Number
from quintain.host.web.pages.command_form import Facts, add_form
from quintain.host.web.pages.organise.forms import organise_page
from quintain.host.web.requests import SiteOf, VisitorOf

RULES = APIRouter(prefix="/organise/{edition}")


@RULES.get("/rules")
def read(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The phases, the rules, and the forms to change them."""
    return _shown(request, site, visitor, edition)


@RULES.get("/rejudging")
def list_rejudgings(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """All second judgements, and the form for another one."""
    return _show_rejudgings(request, site, visitor, edition)


@RULES.get("/rejudging/{number}")
def read_rejudging(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> HTMLResponse:
    """What a second judgement would change."""
    judgement = rejudging.rejudging(site, visitor, edition, number)
    row = overview(site, visitor, edition).edition
    places = moves(judgement.difference)
    return organise_page(request, "rejudging", row, judgement=judgement, moves=places)


def _show_rejudgings(
    request: Request,
    site: Site,
    visitor: Visitor,
    edition: str,
    text: str = "",
    problem: EditionError | None = None,
) -> HTMLResponse:
    return organise_page(
        request,
        "rejudgings",
        overview(site, visitor, edition).edition,
        200 if problem is None else problem.status,
        judgements=rejudging.rejudgings(site, visitor, edition),
        faults=_lines(problem),
        text=text,
    )


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


def _show_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    """The rules that were sent, with all their faults."""
    if not isinstance(problem, EditionError):
        raise problem
    place = (facts["site"], facts["visitor"], facts["edition"])
    return _shown(request, *place, facts["toml"], facts["reason"], problem)


def _show_rejudgings_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    if not isinstance(problem, EditionError):
        raise problem
    place = (facts["site"], facts["visitor"], facts["edition"])
    return _show_rejudgings(request, *place, facts["toml"], problem)


_BACK = "/organise/{edition}"
add_form(
    RULES,
    "/rules/extend",
    steps.extend,
    back=_BACK + "/rules",
    notice="The extension is being recorded.",
)
add_form(
    RULES,
    "/rules/amend",
    steps.amend,
    back=_BACK + "/jobs",
    notice="The amendment waits for a worker.",
    again=_show_again,
)
add_form(
    RULES,
    "/rejudging",
    commands.start_rejudging,
    back=_BACK + "/rejudging/{rejudging}",
    notice="A worker judges a copy. Load this page again.",
    again=_show_rejudgings_again,
)
add_form(
    RULES,
    "/rejudging/{number}/apply",
    commands.apply_rejudging,
    back=_BACK + "/rejudging/{number}",
    notice="It is being applied.",
)
add_form(
    RULES,
    "/rejudging/{number}/drop",
    commands.drop_rejudging,
    back=_BACK + "/rejudging",
    notice="The second judgement {number} is dropped.",
)
