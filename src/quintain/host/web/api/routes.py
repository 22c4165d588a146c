"""Routes of the API: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.web.api.account.everybody import EVERYBODY
from quintain.host.web.api.account.own import OWN
from quintain.host.web.api.editions import EDITIONS
from quintain.host.web.api.problems import PROBLEMS

API = APIRouter(responses=PROBLEMS)
API.include_router(EDITIONS)
API.include_router(OWN)
API.include_router(EVERYBODY)
