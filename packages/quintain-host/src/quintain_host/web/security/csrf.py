"""Forgery: a page of somebody else must not act in the name of a visitor of ours.

The application asks :func:`refuse_forgery` before every route, so no route can forget it. A
request that changes something has to come from a page of this site: browsers say so in
``Sec-Fetch-Site`` or ``Origin``. If its cookie signs somebody in, it has to bring the token of that
session as well, in the field ``csrf`` of a form or in the header ``X-CSRF-Token``.
A bearer token is not a cookie: browsers do not add it by themselves, so programs need none of this.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from quintain.wording.languages import say
from quintain_host.access import NotAllowed, Visitor
from quintain_host.web.requests import bearer_token, site_of, visitor_of

FIELD = "csrf"
PAGE = "shown-on"
"""The field with the page that a form stands on, which shows the form again after a mistake."""
HEADER = "X-CSRF-Token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Forged(NotAllowed):
    """A request does not come from a page of this site."""


async def refuse_forgery(request: Request) -> AsyncIterator[None]:
    """Refuse a request that changes something and may come from a page of somebody else."""
    try:
        if request.method not in SAFE and bearer_token(request) is None:
            _require_own_page(request)
            await _require_token(request)
        yield
    finally:
        await request.close()  # the files of a form are open from here on


async def _require_token(request: Request) -> None:
    visitor = await run_in_threadpool(visitor_of, request)
    if not visitor.csrf:
        return  # the cookie signs nobody in
    sent = request.headers.get(HEADER) or await _field(request)
    if not hmac.compare_digest(sent.encode(), visitor.csrf.encode()):
        raise Forged(say("this form is too old: load the page again, then send it again"))


def _require_own_page(request: Request) -> None:
    place = request.headers.get("sec-fetch-site")
    if place is not None and place not in {"same-origin", "none"}:
        raise Forged(say("this request comes from a page of another site"))
    origin = request.headers.get("origin")
    if origin is not None and place is None and origin not in _own_origins(request):
        raise Forged(say("this request comes from a page of another site"))


def _own_origins(request: Request) -> set[str]:
    """The site's own address, and the address under which the browser reached it."""
    parts = urlsplit(site_of(request).settings.url)
    host = request.headers.get("host", "")  # only hosts of ours get this far
    return {f"{parts.scheme}://{parts.netloc}", f"{parts.scheme}://{host}"}


async def _field(request: Request) -> str:
    """The token in a form of a page; the API takes the header only."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.url.path.startswith("/api/") or kind not in _FORMS:
        return ""
    form = await request.form()
    request.state.shown_on = form.get(PAGE)
    value = form.get(FIELD, "")
    return value if isinstance(value, str) else ""


@pass_context
def csrf(context: Context) -> Markup:
    """The hidden fields of a form; templates write ``{{ csrf() }}``."""
    hidden = Markup('<input type="hidden" name="{}" value="{}">')
    return hidden.format(FIELD, csrf_token(context)) + hidden.format(PAGE, _place(context))


def _place(context: Context) -> str:
    """The address of the page that has the form; after another form, the page of that one."""
    request: Request = context["request"]
    sent = getattr(request.state, "shown_on", None)
    if request.method != "GET" and isinstance(sent, str):
        return sent
    return f"{request.url.path}?{request.url.query}".removesuffix("?")


@pass_context
def csrf_token(context: Context) -> str:
    """The token of the session, for the header ``X-CSRF-Token``; empty if nobody is signed in."""
    visitor: Visitor = context["visitor"]
    return visitor.csrf
