"""Requests: what every route needs, the site and who asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from quintain.host.access import NOBODY, Visitor
from quintain.host.accounts.visitors import visitor_with_cookie, visitor_with_token
from quintain.host.site import Site

COOKIE = "quintain"


def site_of(request: Request) -> Site:
    """The site that the application serves."""
    site: Site = request.app.state.site
    return site


def visitor_of(request: Request) -> Visitor:
    """Who sends a request: a browser with a cookie, or a program with a token."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return visitor_with_token(site_of(request), token.strip())
    cookie = request.cookies.get(COOKIE)
    return NOBODY if not cookie else visitor_with_cookie(site_of(request), cookie)


SiteOf = Annotated[Site, Depends(site_of)]
VisitorOf = Annotated[Visitor, Depends(visitor_of)]
