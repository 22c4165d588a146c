"""Routes of the pages: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.web.pages.home import HOME

PAGES = APIRouter()
PAGES.include_router(HOME)
