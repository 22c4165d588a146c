"""Middleware: what a request has to pass before anybody reads it, and the headers of every answer.

A request is for this host, not too frequent and not too large. The headers tell browsers to run and
show nothing foreign.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quintain_host.settings import Settings
from quintain_host.web.security.csrf import SAFE
from quintain_host.web.security.rate_limits import RateLimits, TooMany, address_of

SMALL_BODY = 2 * 2**20
"""How many bytes a request may have that brings no files."""

FIRST_PART = 2**16
"""So many bytes of a body have to be here before a request counts as serious."""

FRAME = 2**20
"""What a form needs around its files."""

_FILES = re.compile(
    r"/(?:uploads|work/\d+/result|draft/files|new/guide|guide/table|pages/pictures)$"
    r"|^/api/.*/(?:draft/files|pictures)/[^/]+$"
)
"""Paths that take files; their routes read nothing before they know who sends it."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


class RequestFilter:
    """Refuses requests for other hosts, too many of them, and bodies that are too large."""

    def __init__(self, app: ASGIApp, settings: Settings, limits: RateLimits) -> None:
        self._app = app
        self._settings = settings
        self._limits = limits
        self._hosts = _LOOPBACK | {_host_name(urlsplit(settings.url).netloc)}
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address = address_of(scope, self._settings.proxies)
        refusal = self._refusal(scope, address)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        with self._counting(address):
            await self._limit_body(scope, receive, send)

    @contextmanager
    def _counting(self, address: str) -> Iterator[None]:
        """Count the open requests of an address, because behind a proxy nobody sees connections."""
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    def _refusal(self, scope: Scope, address: str) -> Response | None:
        headers = Headers(scope=scope)
        if _host_name(headers.get("host", "")) not in self._hosts:
            return _answer(scope, 400, "this server does not serve that host")
        most = self._settings.address_connections
        if self._open[address] >= most:
            sentence = f"your address has {most} requests open: wait until one is answered"
            return _answer(scope, 429, sentence, {"Retry-After": "1"})
        try:
            self._limits.requests.take(address)
        except TooMany as problem:
            return _answer(scope, 429, str(problem), {"Retry-After": str(problem.wait)})
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal():
            return _answer(scope, 400, "the length of the request is not a number")
        if int(length) > self._most(scope):
            return _answer(scope, 413, _too_large(self._most(scope)))
        return None

    async def _limit_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a body while it comes; its sender may not have said how long it is."""
        size, most = 0, self._most(scope)

        async def count() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise HTTPException(413, _too_large(most))
            return message

        await self._app(scope, count, send)

    def _most(self, scope: Scope) -> int:
        files = _FILES.search(scope["path"]) is not None
        return self._settings.upload_bytes + FRAME if files else SMALL_BODY


def _too_large(most: int) -> str:
    return f"a request to this address may have at most {most} bytes"


def _host_name(netloc: str) -> str:
    """A host without its port, as browsers compare it."""
    return re.sub(r":\d*$", "", netloc.rpartition("@")[2]).lower()


def _answer(
    scope: Scope, status: int, sentence: str, headers: dict[str, str] | None = None
) -> Response:
    # The connection may be in the middle of a body; the next request must not begin there.
    headers = {"Connection": "close", **(headers or {})}
    if scope["path"].startswith("/api/"):
        return JSONResponse({"detail": sentence, "faults": []}, status, headers)
    return PlainTextResponse(f"{sentence}\n", status, headers)


class BodyFirst:
    """Waits for a short body, or for the first part of a long one, before anybody works.

    A client that sends its body byte by byte then costs a little memory and no work.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] in SAFE:
            await self._app(scope, receive, send)
            return
        first, more, refusal = bytearray(), True, None
        while more and len(first) < FIRST_PART:
            try:
                message = await receive()
            except HTTPException as problem:  # the body is too large; the application says so
                refusal = problem
                break
            if message["type"] == "http.disconnect":
                await Response(status_code=408)(scope, receive, send)  # for the log alone
                return
            first += message.get("body", b"")
            more = message.get("more_body", False)
        waiting = [{"type": "http.request", "body": bytes(first), "more_body": more}]

        async def receive_again() -> Message:
            if waiting:
                return waiting.pop()
            if refusal is not None:
                raise refusal
            return await receive()

        await self._app(scope, receive_again, send)


class HeadAnswers:
    """Answers HEAD as GET, without the body: programs ask so whether a page is there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_no_body(message: Message) -> None:
            await send({**message, "body": b""} if "body" in message else message)

        # The state and the route of the request are for the log, which has the outer scope.
        inner = {**scope, "method": "GET"}
        try:
            await self._app(inner, receive, send_no_body)
        finally:
            scope.update({name: value for name, value in inner.items() if name != "method"})


POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
"""Everything comes from this site; no script and no style is inside a page."""

ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class SecureHeaders:
    """Adds the headers to every answer, also to errors."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._always = dict(ALWAYS)
        if settings.secure:
            self._always["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def add_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._always.items():
                    headers.setdefault(name, value)  # the report has a stricter policy of its own
                _say_who_may_keep(scope, headers)
            await send(message)

        await self._app(scope, receive, add_headers)


def _say_who_may_keep(scope: Scope, headers: MutableHeaders) -> None:
    """Nobody keeps what was made for one person."""
    if scope["path"].startswith("/static/"):
        return
    sent = Headers(scope=scope)
    if "cookie" in sent or "authorization" in sent or "set-cookie" in headers:
        headers["Cache-Control"] = "no-store"
    else:
        headers.setdefault("Cache-Control", "no-cache")
    headers.add_vary_header("Cookie, Authorization")
