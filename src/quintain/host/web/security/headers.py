"""Headers: what browsers are told about every answer, so that they run and show nothing foreign."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quintain.host.settings import Settings

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

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._always.items():
                    headers.setdefault(name, value)  # the report has a stricter policy of its own
                _say_who_may_keep(scope, headers)
            await send(message)

        await self._app(scope, receive, dressed)


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
