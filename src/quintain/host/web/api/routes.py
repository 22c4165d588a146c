"""Routes of the API: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.web.api.account.everybody import EVERYBODY
from quintain.host.web.api.account.own import OWN
from quintain.host.web.api.editions import EDITIONS
from quintain.host.web.api.organise.routes import ORGANISE
from quintain.host.web.api.problems import PROBLEMS
from quintain.host.web.api.public.contests import CONTESTS
from quintain.host.web.api.public.results import RESULTS
from quintain.host.web.api.team.kits import KITS
from quintain.host.web.api.team.registering import TEAM
from quintain.host.web.api.team.status import TELLING
from quintain.host.web.api.team.uploads import UPLOADS
from quintain.host.web.api.work import WORK

API = APIRouter(responses=PROBLEMS)
API.include_router(EDITIONS)
API.include_router(OWN)
API.include_router(EVERYBODY)
API.include_router(CONTESTS)
API.include_router(RESULTS)
API.include_router(TEAM)
API.include_router(KITS)
API.include_router(UPLOADS)
API.include_router(TELLING)
API.include_router(ORGANISE)
API.include_router(WORK)
