"""Routes of the organisers' pages: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.web.pages.organise.draft import DRAFT
from quintain.host.web.pages.organise.editions import EDITIONS
from quintain.host.web.pages.organise.overview import OVERVIEW
from quintain.host.web.pages.organise.rules import RULES
from quintain.host.web.pages.organise.settings import SETTINGS
from quintain.host.web.pages.organise.steps import STEPS
from quintain.host.web.pages.organise.teams import TEAMS

ORGANISE = APIRouter()
for routes in (EDITIONS, OVERVIEW, DRAFT, STEPS, TEAMS, SETTINGS, RULES):
    ORGANISE.include_router(routes)
