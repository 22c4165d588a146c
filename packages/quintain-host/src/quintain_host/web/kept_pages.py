"""Kept pages: what a visitor who is not signed in gets, made once for all who ask in one moment.

Thousands may look at the standings when a phase closes, and they all get the same page. It is kept
in memory for as long as the settings say, one second by default, and those who ask while it is made
wait for it. Nobody who sends a cookie or a token gets a kept page, so nothing that is for one
person is ever kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quintain.wording.languages import spoken

_MOST_BYTES = 2**18
"""A larger page is made again for everybody."""

_MOST_PAGES = 256

_Key = tuple[str, str]
"""A path, and the language in which the visitor reads."""


class _Page(NamedTuple):
    """A page as it was answered, with the route that made it and when that began."""

    headers: list[tuple[bytes, bytes]]
    body: bytes
    route: Any
    made: float


class KeptPages:
    """Keeps the pages of contests for those who are not signed in.

    Parameters
    ----------
    seconds : how old a kept page may be; 0 keeps none.
    steady : a clock that only goes forward.
    """

    def __init__(
        self, app: ASGIApp, seconds: float, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._seconds = seconds
        self._steady = steady
        self._pages: dict[_Key, _Page] = {}
        self._making: dict[_Key, asyncio.Future[_Page | None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        key = _key(scope) if self._seconds > 0 else None
        if key is None:
            await self._app(scope, receive, send)
            return
        page = self._find(key)
        if page is None and key in self._making:
            page = await asyncio.shield(self._making[key])
            if page is None:  # it was no page that can be kept
                await self._app(scope, receive, send)
                return
        if page is None:
            await self._make(key, scope, receive, send)
            return
        scope["route"] = page.route  # for the metrics
        await send({"type": "http.response.start", "status": 200, "headers": list(page.headers)})
        await send({"type": "http.response.body", "body": page.body})

    def _find(self, key: _Key) -> _Page | None:
        page = self._pages.get(key)
        return None if page is None or self._is_old(page) else page

    def _is_old(self, page: _Page) -> bool:
        return self._steady() - page.made >= self._seconds

    async def _make(self, key: _Key, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and keep the answer if it is a page."""
        began, answer = self._steady(), _SentPage()
        self._making[key] = asyncio.get_running_loop().create_future()
        page = None

        async def listen(message: Message) -> None:
            answer.add(message)
            await send(message)

        try:
            await self._app(scope, receive, listen)
            page = answer.page(scope, began)
            if page is not None:
                self._keep(key, page)
        finally:
            self._making.pop(key).set_result(page)

    def _keep(self, key: _Key, page: _Page) -> None:
        self._pages = {
            other: shown for other, shown in self._pages.items() if not self._is_old(shown)
        }
        if len(self._pages) < _MOST_PAGES:
            self._pages[key] = page


def _key(scope: Scope) -> _Key | None:
    """What tells kept pages from each other; None for a request that has to be answered anew."""
    if scope["type"] != "http" or scope["method"] != "GET" or scope["query_string"]:
        return None
    path = scope["path"]
    if path != "/" and not path.startswith("/contests/"):
        return None
    headers = Headers(scope=scope)
    if "cookie" in headers or "authorization" in headers or "hx-request" in headers:
        return None
    return path, spoken()


class _SentPage:
    """A page as it is sent, part by part."""

    def __init__(self) -> None:
        self._headers: list[tuple[bytes, bytes]] | None = None
        self._body = bytearray()
        self._complete = False

    def add(self, message: Message) -> None:
        """Note a part, unless this cannot be a page that is kept."""
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            is_page = headers.get("content-type", "").startswith("text/html")
            if message["status"] == 200 and is_page and "set-cookie" not in headers:
                self._headers = list(message["headers"])  # others add to the list of the message
        elif self._headers is not None and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            self._complete = not message.get("more_body", False)
            if len(self._body) > _MOST_BYTES:
                self._headers = None
        else:  # a file that the server sends by itself
            self._headers = None

    def page(self, scope: Scope, began: float) -> _Page | None:
        """The whole page; None if it must not be kept."""
        if self._headers is None or not self._complete:
            return None
        return _Page(self._headers, bytes(self._body), scope.get("route"), began)
