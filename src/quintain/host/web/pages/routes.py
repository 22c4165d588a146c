"""Routes of the pages: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.web.pages.account.account import ACCOUNT
from quintain.host.web.pages.account.administration import ADMINISTRATION
from quintain.host.web.pages.account.signing_in import SIGNING_IN
from quintain.host.web.pages.organise.routes import ORGANISE
from quintain.host.web.pages.public.contests import CONTESTS
from quintain.host.web.pages.public.files import FILES
from quintain.host.web.pages.public.home import HOME
from quintain.host.web.pages.public.results import RESULTS
from quintain.host.web.pages.team.downloads import DOWNLOADS
from quintain.host.web.pages.team.history import HISTORY
from quintain.host.web.pages.team.receipts import RECEIPTS
from quintain.host.web.pages.team.registering import REGISTERING
from quintain.host.web.pages.team.team_page import TEAM
from quintain.host.web.pages.team.uploads import UPLOADS

PAGES = APIRouter()
PAGES.include_router(HOME)
PAGES.include_router(SIGNING_IN)
PAGES.include_router(ACCOUNT)
PAGES.include_router(ADMINISTRATION)
PAGES.include_router(CONTESTS)
PAGES.include_router(RESULTS)
PAGES.include_router(FILES)
PAGES.include_router(ORGANISE)
PAGES.include_router(REGISTERING)
PAGES.include_router(TEAM)
PAGES.include_router(DOWNLOADS)
PAGES.include_router(UPLOADS)
PAGES.include_router(HISTORY)
PAGES.include_router(RECEIPTS)
