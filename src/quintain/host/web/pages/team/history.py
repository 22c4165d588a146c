"""History: what a team submitted, with charts, and the choice of what counts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import escape

from quintain.errors import QuintainError
from quintain.host.editions.shown_rules import contest_state
from quintain.host.teams.descriptions import (
    LONGEST_ADDRESS,
    LONGEST_LICENCE,
    LONGEST_TEXT,
    description_for,
)
from quintain.host.teams.history import history_for
from quintain.host.teams.overview import overview_for
from quintain.host.web.api.team.status import choose_what_counts, write_description
from quintain.host.web.pages.command_form import Facts, add_form
from quintain.host.web.pages.render import page
from quintain.host.web.pages.team.charts import release_charts, score_charts
from quintain.host.web.pages.team.contest_row import contest_row
from quintain.host.web.requests import SiteOf, VisitorOf

HISTORY = APIRouter(prefix="/contests/{edition}/team")

_LIMITS = {"text": LONGEST_TEXT, "code": LONGEST_ADDRESS, "licence": LONGEST_LICENCE}


@HISTORY.get("/history")
def history_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """Everything that the team submitted, and the scores that it may see."""
    history = history_for(site, visitor, edition)
    team = overview_for(site, visitor, edition)
    state = contest_state(site, edition)
    return page(
        request,
        "team/history.html.j2",
        edition=contest_row(site, edition),
        team=team,
        history=history,
        choices={
            (one.track, one.phase): state.chosen(team.id, one.track, one.phase)
            for one in team.phases
        },
        releases=release_charts(history),
        scores=score_charts(history),
    )


@HISTORY.get("/description")
def description_page(request: Request, edition: str, site: SiteOf, visitor: VisitorOf) -> Response:
    """The form for what the team says about its method."""
    row = description_for(site, visitor, edition)
    return page(
        request,
        "team/description.html.j2",
        edition=contest_row(site, edition),
        text=escape(row.text),  # as markup it keeps its lines
        code=row.code,
        licence=row.licence,
        limits=_LIMITS,
        problem="",
    )


def _show_again(request: Request, facts: Facts, problem: QuintainError) -> Response:
    facts["visitor"].team_in(facts["edition"])  # others read why they cannot, and no form
    return page(
        request,
        "team/description.html.j2",
        problem.status,
        edition=contest_row(facts["site"], facts["edition"]),
        text=escape(facts["text"]),
        code=facts["code"],
        licence=facts["licence"],
        limits=_LIMITS,
        problem=str(problem),
    )


add_form(
    HISTORY,
    "/choice",
    choose_what_counts,
    back="/contests/{edition}/team/history",
    notice="Your choice is being recorded; it shows here in a moment.",
    names={"submission": "submissions"},
)
add_form(
    HISTORY,
    "/description",
    write_description,
    back="/contests/{edition}/team",
    notice="The description is saved.",
    again=_show_again,
)
