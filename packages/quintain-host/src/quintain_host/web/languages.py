"""Languages of requests: what a page is written in, and the form by which visitors choose.

Programs read English: what they match must not depend on who runs them.
"""

from __future__ import annotations

import re
from http.cookies import CookieError, SimpleCookie
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quintain.wording.languages import say, speaking, spoken
from quintain_host.access import BadInput
from quintain_host.accounts.administration import change_language
from quintain_host.database.contests import HostedEdition
from quintain_host.languages.catalogue import DEFAULT, LANGUAGES
from quintain_host.languages.choosing import COOKIE, language_asked, language_for
from quintain_host.site import Site
from quintain_host.web.pages.account import local_path
from quintain_host.web.pages.render import redirect
from quintain_host.web.requests import SiteOf, VisitorOf
from quintain_host.web.security.csrf import PAGE

_CONTEST = re.compile(r"/contests/([^/]+)")
_YEAR = 365 * 24 * 3600


class SpokenLanguage:
    """Answers each request in the language of its visitor, and says so in the headers."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["path"].startswith(("/api/", "/static/")):
            await self._app(scope, receive, send)
            return

        async def add_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.add_vary_header("Accept-Language")
                if headers.get("content-type", "").startswith("text/html"):
                    headers.setdefault("Content-Language", spoken())
            await send(message)

        with speaking(await self._language(scope)):
            await self._app(scope, receive, add_headers)

    async def _language(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        chosen, accepted = _choice(headers), headers.get("accept-language", "")
        place = _CONTEST.match(scope["path"])
        if place is None or language_asked(chosen, accepted):
            return language_for(chosen, accepted)
        contest = await run_in_threadpool(_language_of_contest, self._site, place[1])
        return language_for(chosen, accepted, contest)


def _choice(headers: Headers) -> str:
    """What a visitor chose before; empty if nothing."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:  # somebody else's cookies can be broken
        return ""
    return "" if cookie is None else cookie.value


def _language_of_contest(site: Site, edition: str) -> str:
    """The language of a contest that everybody can see; of others, nobody learns it."""
    with site.database.reading() as session:
        row = session.get(HostedEdition, edition)
        return DEFAULT if row is None or not row.visible else row.language or DEFAULT


CHOOSING = APIRouter()


@CHOOSING.post("/language")
def choose_language(
    request: Request,
    site: SiteOf,
    visitor: VisitorOf,
    language: Annotated[str, Form(max_length=10)],
    back: Annotated[str, Form(alias=PAGE, max_length=500)] = "/",
) -> Response:
    """Remember the language that a visitor chose, in a cookie and in the account."""
    if language not in LANGUAGES:
        raise BadInput(say("this site does not speak that language")).about("language")
    if visitor.account is not None:
        change_language(site, visitor, language)
    response = redirect(request, local_path(back))
    response.set_cookie(
        COOKIE,
        language,
        max_age=_YEAR,
        path="/",
        secure=site.settings.secure,
        httponly=True,
        samesite="lax",
    )
    return response
