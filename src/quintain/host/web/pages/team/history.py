"""History: what a team submitted, with charts, and the choice of what counts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from markupsafe import escape

from quintain.host.editions.shown_rules import contest_state
from quintain.host.teams.choices import choose
from quintain.host.teams.descriptions import (
    LONGEST_ADDRESS,
    LONGEST_LICENCE,
    LONGEST_TEXT,
    describe,
    description_for,
)
from quintain.host.teams.history import history_for
from quintain.host.teams.overview import overview_for
from quintain.host.web.flash import redirect
from quintain.host.web.pages.account.forms import or_again
from quintain.host.web.pages.render import page
from quintain.host.web.pages.team.charts import release_charts, score_charts
from quintain.host.web.pages.team.contest_row import contest_row
from quintain.host.web.requests import SiteOf, VisitorOf

HISTORY = APIRouter(prefix="/contests/{edition}/team")

Id = Annotated[str, Form(max_length=64)]
Numbers = Annotated[list[int], Form(max_length=1000)]

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


@HISTORY.post("/choice")
def choice_form(
    request: Request,
    edition: str,
    site: SiteOf,
    visitor: VisitorOf,
    track: Id,
    phase: Id,
    submission: Numbers | None = None,
) -> Response:
    """Choose which submissions of a phase count."""
    choose(site, visitor, edition, track, phase, submission or [])
    place = f"/contests/{edition}/team/history"
    return redirect(request, place, "Your choice is being recorded; it shows here in a moment.")


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


@HISTORY.post("/description")
def description_form(
    request: Request,
    edition: str,
    site: SiteOf,
    visitor: VisitorOf,
    text: Annotated[str, Form(max_length=100_000)] = "",
    code: Annotated[str, Form(max_length=2000)] = "",
    licence: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Write the description."""

    def work() -> Response:
        describe(site, visitor, edition, text=text, code=code, licence=licence)
        return redirect(request, f"/contests/{edition}/team", "The description is saved.")

    visitor.team_in(edition)
    fields = {"text": escape(text), "code": code, "licence": licence}
    row = contest_row(site, edition)
    return or_again(
        request, "team/description.html.j2", work, edition=row, limits=_LIMITS, **fields
    )
