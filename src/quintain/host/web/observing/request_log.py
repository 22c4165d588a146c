"""Request log: one line for each request, with a number that its answer has, too.

A line has the path and never the query, no address and no header. Long words of a path are left
out, because links with a secret have one.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quintain.host.web.observing.metrics import Metrics

LOG = logging.getLogger("quintain.host.web")

_LONG = re.compile(r"[^/]{40,}")


class RequestLog:
    """Logs and counts every request, around everything else that an application does."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, number = time.perf_counter(), 500, secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = number

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", number.encode()))
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            seconds = time.perf_counter() - began
            self._metrics.count(scope["method"], route_of(scope), status, seconds)
            _log(scope, number, status, seconds)


def _log(scope: Scope, number: str, status: int, seconds: float) -> None:
    visitor = scope["state"].get("visitor")
    facts = {
        "request": number,
        "method": scope["method"],
        "path": shown_path(scope["path"]),
        "status": status,
        "ms": round(1000 * seconds, 1),
        "account": getattr(visitor, "account", None),
    }
    LOG.log(logging.WARNING if status >= 500 else logging.INFO, "request", extra=facts)


def shown_path(path: str) -> str:
    """The path of a request as the log has it: on one line, and without secrets."""
    return quote(_LONG.sub("...", path))[:200]


def route_of(scope: Scope) -> str:
    """The pattern of the path, of which there are few; "other" if there is none."""
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "other"
    api = scope["path"].startswith("/api/") and not pattern.startswith("/api/")
    return f"/api{pattern}" if api else str(pattern)
