"""Routes of organisers in the API: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.web.api.organise.drafts import DRAFTS
from quintain.host.web.api.organise.overview import OVERVIEW
from quintain.host.web.api.organise.settings import SETTINGS
from quintain.host.web.api.organise.steps import STEPS
from quintain.host.web.api.organise.teams import TEAMS

ORGANISE = APIRouter(tags=["organisers"])
for routes in (DRAFTS, STEPS, TEAMS, SETTINGS, OVERVIEW):
    ORGANISE.include_router(routes)
