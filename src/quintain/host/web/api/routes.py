"""Routes of the API: the list of all of them."""

from __future__ import annotations

from fastapi import APIRouter

from quintain.host.web.api.editions import EDITIONS

API = APIRouter()
API.include_router(EDITIONS)
