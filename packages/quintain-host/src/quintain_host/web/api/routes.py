"""Routes of the API: the list of all of them, and what it answers if it refuses."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from quintain_host.web.api.account import EVERYBODY, OWN
from quintain_host.web.api.notices import NOTICES, QUESTIONS
from quintain_host.web.api.organise.custom_pages import CUSTOM_PAGES
from quintain_host.web.api.organise.overview import OVERVIEW
from quintain_host.web.api.organise.settings import SETTINGS, TEAMS
from quintain_host.web.api.organise.steps import DRAFTS, STEPS
from quintain_host.web.api.public import CONTESTS, EDITIONS, RESULTS
from quintain_host.web.api.team import KITS, TEAM, TELLING, UPLOADS
from quintain_host.web.api.work import WORK


class Problem(BaseModel):
    """Why a request was refused, in words for people; with all faults of what was sent."""

    detail: str
    faults: list[str] = []


PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "The request was refused."},
    "5XX": {"model": Problem, "description": "The host has a problem."},
}
"""The answers that every route of the API can give."""

API = APIRouter(responses=PROBLEMS)
for routes in (EDITIONS, OWN, EVERYBODY, CONTESTS, RESULTS, TEAM, KITS, UPLOADS, TELLING, NOTICES):
    API.include_router(routes)
for routes in (DRAFTS, STEPS, TEAMS, SETTINGS, CUSTOM_PAGES, OVERVIEW):
    API.include_router(routes, tags=["organisers"])
for routes in (QUESTIONS, WORK):
    API.include_router(routes)
