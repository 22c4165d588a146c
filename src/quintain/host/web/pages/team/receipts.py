"""Receipts: a page on which anybody checks a receipt, in the browser alone."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from quintain.host.editions.listing import editions_for
from quintain.host.editions.shown_rules import contest_state
from quintain.host.web.pages.render import page
from quintain.host.web.requests import SiteOf, VisitorOf

RECEIPTS = APIRouter()


@RECEIPTS.get("/check-receipt")
def check_receipt(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    contest: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """The page with the public keys of all contests; the receipt stays in the browser."""
    keys = [
        (one.id, one.title, contest_state(site, one.id).key) for one in editions_for(site, visitor)
    ]
    known = [fact for fact in keys if fact[2]]
    return page(request, "team/check_receipt.html.j2", contests=known, wanted=contest)
