"""Overview: how a contest stands, its jobs and its log; changes of its rules, second judgements."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from quintain.errors import EditionError, QuintainError
from quintain.wording.languages import to_say
from quintain_host.access import Visitor
from quintain_host.organising import rejudging
from quintain_host.organising.dashboard import (
    dashboard_of,
    look_at_standings,
    request_standings,
)
from quintain_host.organising.overview import AT_ONCE, actions_of, overview_of
from quintain_host.organising.rejudging import moves
from quintain_host.site import Site
from quintain_host.views.standings import team_names
from quintain_host.web.api.organise import overview as commands
from quintain_host.web.api.organise import steps
from quintain_host.web.api.organise.fields import EditionId, Number
from quintain_host.web.pages.command_form import Facts, add_form, add_forms
from quintain_host.web.pages.organise.forms import fault_lines, go_to, organise_page
from quintain_host.web.pages.organise.upload_chart import draw_days
from quintain_host.web.requests import SiteOf, VisitorOf

OVERVIEW = APIRouter(prefix="/organise/{edition}")


@OVERVIEW.get("")
def overview_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """What waits for the organisers, and what is stuck."""
    seen = overview_of(site, visitor, edition)
    return organise_page(request, "overview", seen.edition, seen=seen)


@OVERVIEW.get("/jobs")
def jobs(request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId) -> HTMLResponse:
    """The jobs of a contest, and the workers."""
    seen = overview_of(site, visitor, edition)
    return organise_page(request, "jobs", seen.edition, seen=seen)


@OVERVIEW.get("/log")
def log(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    edition: EditionId,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> HTMLResponse:
    """What people did in this contest."""
    lines = actions_of(site, visitor, edition, before=before)
    row = overview_of(site, visitor, edition).edition
    return organise_page(request, "log", row, lines=lines, at_once=AT_ONCE)


@OVERVIEW.get("/dashboard")
def dashboard_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """How the contest goes: teams, submissions over time, the queue, and faults."""
    shown = dashboard_of(site, visitor, edition)
    row = overview_of(site, visitor, edition).edition
    return organise_page(request, "dashboard", row, shown=shown, drawn=draw_days(shown.days))


@OVERVIEW.get("/standings")
def early_standings(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The standings before the reveal, for organisers; every look is recorded."""
    seen, shown = overview_of(site, visitor, edition), look_at_standings(site, visitor, edition)
    names = {} if seen.rules is None else team_names(seen.rules)
    titles = {} if seen.rules is None else {t.id: t.title or t.id for t in seen.rules.track}
    return organise_page(
        request, "standings", seen.edition, seen=seen, shown=shown, names=names, titles=titles
    )


@OVERVIEW.post("/standings")
def ask_for_standings(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> Response:
    """Ask a worker for the standings as they are now."""
    request_standings(site, visitor, edition)
    return go_to(request, edition, "/standings", "A worker reads the boards. Load this page again.")


_JOBS = "/organise/{edition}/jobs"
add_forms(
    OVERVIEW,
    ("/jobs/{number}/retry", commands.retry_job, _JOBS, to_say("Job %(number)s waits again.")),
    ("/jobs/{number}/cancel", commands.cancel_job, _JOBS, to_say("Job %(number)s was cancelled.")),
)


@OVERVIEW.get("/rules")
def rules_page(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """The phases, the rules, and the forms to change them."""
    return _show_rules(request, site, visitor, edition)


@OVERVIEW.get("/rejudging")
def list_rejudgings(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId
) -> HTMLResponse:
    """All second judgements, and the form for another one."""
    return _show_rejudgings(request, site, visitor, edition)


@OVERVIEW.get("/rejudging/{number}")
def read_rejudging(
    request: Request, site: SiteOf, visitor: VisitorOf, edition: EditionId, number: Number
) -> HTMLResponse:
    """What a second judgement would change."""
    judgement = rejudging.rejudging(site, visitor, edition, number)
    row = overview_of(site, visitor, edition).edition
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
        overview_of(site, visitor, edition).edition,
        200 if problem is None else problem.status,
        judgements=rejudging.rejudgings(site, visitor, edition),
        faults=fault_lines(problem),
        text=text,
    )


def _show_rules(
    request: Request,
    site: Site,
    visitor: Visitor,
    edition: str,
    text: str | None = None,
    reason: str = "",
    problem: EditionError | None = None,
) -> HTMLResponse:
    seen = overview_of(site, visitor, edition)
    return organise_page(
        request,
        "rules",
        seen.edition,
        200 if problem is None else problem.status,
        seen=seen,
        text=seen.edition.toml if text is None else text,
        reason=reason,
        faults=fault_lines(problem),
    )


def _show_rules_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    """The rules that were sent, with all their faults."""
    if not isinstance(problem, EditionError):
        raise problem
    place = (facts["site"], facts["visitor"], facts["edition"])
    return _show_rules(request, *place, facts["toml"], facts["reason"], problem)


def _show_rejudgings_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    if not isinstance(problem, EditionError):
        raise problem
    place = (facts["site"], facts["visitor"], facts["edition"])
    return _show_rejudgings(request, *place, facts["toml"], problem)


_ORGANISE = "/organise/{edition}"
add_form(
    OVERVIEW,
    "/rules/amend",
    steps.amend,
    back=_ORGANISE + "/jobs",
    notice=to_say("The amendment waits for a worker."),
    again=_show_rules_again,
)
add_form(
    OVERVIEW,
    "/rejudging",
    commands.start_rejudging,
    back=_ORGANISE + "/rejudging/{rejudging}",
    notice=to_say("A worker judges a copy. Load this page again."),
    again=_show_rejudgings_again,
)
add_forms(
    OVERVIEW,
    (
        "/rules/extend",
        steps.extend,
        _ORGANISE + "/rules",
        to_say("The extension is being recorded."),
    ),
    (
        "/rejudging/{number}/apply",
        commands.apply_rejudging,
        _ORGANISE + "/rejudging/{number}",
        to_say("It is being applied."),
    ),
    (
        "/rejudging/{number}/drop",
        commands.drop_rejudging,
        _ORGANISE + "/rejudging",
        to_say("The second judgement %(number)s is dropped."),
    ),
)
