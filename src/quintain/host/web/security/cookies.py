"""Cookies: the name and the attributes of the one cookie that a site sets."""

from __future__ import annotations

from fastapi.responses import Response

from quintain.host.settings import Settings


def cookie_name(settings: Settings) -> str:
    """The name of the cookie. Browsers accept ``__Host-`` over TLS only, from this very host."""
    return "__Host-quintain" if settings.secure else "quintain"


def give_cookie(response: Response, settings: Settings, secret: str) -> None:
    """Let a browser stay signed in."""
    response.set_cookie(
        cookie_name(settings),
        secret,
        max_age=settings.session_hours * 3600,
        path="/",
        secure=settings.secure,
        httponly=True,
        samesite="lax",
    )


def take_cookie_back(response: Response, settings: Settings) -> None:
    """Let a browser forget its cookie."""
    response.delete_cookie(
        cookie_name(settings), path="/", secure=settings.secure, httponly=True, samesite="lax"
    )
