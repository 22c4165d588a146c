"""Routes of the pages: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain_host.web.languages import CHOOSING
from quintain_host.web.pages.account import ACCOUNT, ADMINISTRATION, SIGNING_IN
from quintain_host.web.pages.notices import INBOX, QUESTIONS, REACHING
from quintain_host.web.pages.organise.custom_pages import CUSTOM_PAGES
from quintain_host.web.pages.organise.guide import GUIDE
from quintain_host.web.pages.organise.overview import OVERVIEW
from quintain_host.web.pages.organise.settings import SETTINGS, TEAMS
from quintain_host.web.pages.organise.steps import EDITIONS, STEPS
from quintain_host.web.pages.public import CONTESTS, FILES, HOME
from quintain_host.web.pages.sign_on import SIGN_ON
from quintain_host.web.pages.team import RECEIPTS, REGISTERING, TEAM

PAGES = APIRouter()
for routes in (
    *(HOME, CHOOSING, SIGNING_IN, SIGN_ON, ACCOUNT, ADMINISTRATION),
    *(CONTESTS, FILES, INBOX, REACHING, QUESTIONS),
    *(GUIDE, EDITIONS, OVERVIEW, STEPS, TEAMS, SETTINGS, CUSTOM_PAGES),
    *(REGISTERING, TEAM, RECEIPTS),
):
    PAGES.include_router(routes)
