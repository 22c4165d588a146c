"""Requests: the site, who asks with which cookie or token, and the forms that they send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, BinaryIO

from fastapi import Depends, Request
from fastapi.responses import Response
from starlette.datastructures import UploadFile

from quintain.wording.languages import say
from quintain_host.access import NOBODY, BadInput, Visitor
from quintain_host.accounts.devices import DAYS, KnownDevice, device_cookie, known_device
from quintain_host.accounts.sessions import visitor_with_cookie, visitor_with_token
from quintain_host.settings import Settings
from quintain_host.site import Site


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


def device_name(settings: Settings) -> str:
    """The name of the cookie that says that a device is known."""
    return "__Host-device" if settings.secure else "device"


def remember_device(response: Response, site: Site, account: int) -> None:
    """Let a browser show later that the owner of an account has used it; signing out keeps it."""
    response.set_cookie(
        device_name(site.settings),
        device_cookie(site, account),
        max_age=DAYS * 24 * 3600,
        path="/",
        secure=site.settings.secure,
        httponly=True,
        samesite="lax",
    )


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


def device_of(request: Request) -> KnownDevice | None:
    """The device that sends a request, if somebody has signed in with it before."""
    site = site_of(request)
    cookie = request.cookies.get(device_name(site.settings))
    return None if not cookie else known_device(site, cookie)


SiteOf = Annotated[Site, Depends(site_of)]
VisitorOf = Annotated[Visitor, Depends(visitor_of)]


MOST_FILES = 1000
MOST_FIELDS = 200
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class SentForm:
    """What came in a form: texts by the names of their fields, files by their own names."""

    fields: Mapping[str, str]
    files: Mapping[str, BinaryIO]


async def sent_form(request: Request) -> SentForm:
    """Read a form with files; they lie in temporary files, which end with the request.

    How many bytes may come is counted before anybody reads them.
    """
    form = await request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS)
    fields: dict[str, str] = {}
    files: dict[str, BinaryIO] = {}
    for field, value in form.multi_items():
        if not isinstance(value, UploadFile):
            fields.setdefault(field, value)
        elif value.filename:  # a browser sends an empty name if no file was chosen
            _add(files, value.filename, value.file)
    return SentForm(fields, files)


def _add(files: dict[str, BinaryIO], name: str, file: BinaryIO) -> None:
    if len(name) > LONGEST_NAME or "\x00" in name:
        raise BadInput(
            say(
                "the name of a file has at most %(longest_name)s characters",
                longest_name=LONGEST_NAME,
            )
        )
    if name in files:
        raise BadInput(say("two files have the name %(name)r", name=name))
    files[name] = file
