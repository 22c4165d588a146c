"""Requests: what every route needs, the site and who asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from quintain.host.access import NOBODY, Visitor
from quintain.host.accounts.visitors import visitor_with_cookie, visitor_with_token
from quintain.host.site import Site
from quintain.host.web.security.cookies import cookie_name


def site_of(request: Request) -> Site:
    """The site that the application serves."""
    site: Site = request.app.state.site
    return site


def bearer_token(request: Request) -> str | None:
    """The token that a program sends; None if there is none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def visitor_of(request: Request) -> Visitor:
    """Who sends a request: a browser with a cookie, or a program with a token."""
    known: Visitor | None = getattr(request.state, "visitor", None)
    if known is None:
        known = request.state.visitor = _visitor(request)
    return known


def _visitor(request: Request) -> Visitor:
    site, token = site_of(request), bearer_token(request)
    if token is not None:
        return visitor_with_token(site, token)
    cookie = request.cookies.get(cookie_name(site.settings))
    return NOBODY if not cookie else visitor_with_cookie(site, cookie)


SiteOf = Annotated[Site, Depends(site_of)]
VisitorOf = Annotated[Visitor, Depends(visitor_of)]
