"""Form again: a mistake in a form shows the same page, filled in, with every fault.

Every form of the site names the page that it stands on. If what it asks for is refused, that page
is made again by its own route, which also checks once more who may see it. So every form of the
site does this, and a command only says what is wrong and with which field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import FormData, Headers
from starlette.exceptions import HTTPException
from starlette.types import Message

from quintain.errors import QuintainError, Rejected
from quintain.wording.languages import say
from quintain_host.access import NotSignedIn, SecondFactorNeeded, SeveralMistakes
from quintain_host.web.pages.filled_form import Mistake, fill_form
from quintain_host.web.pages.render import SHOWN_AGAIN
from quintain_host.web.security.csrf import FIELD, PAGE, Forged
from quintain_host.web.security.rate_limits import TooMany

_NO_MISTAKE = (Forged, NotSignedIn, SecondFactorNeeded, TooMany)
"""Refusals that no other words in a form would change."""


def mistakes_in(problem: Exception) -> list[Mistake] | None:
    """What a refusal says about the fields of a form; None if it is about something else."""
    if not isinstance(problem, QuintainError) or problem.status >= 500:
        return None
    if isinstance(problem, _NO_MISTAKE):
        return None
    return list(_mistakes(problem))


def _mistakes(problem: QuintainError) -> Iterator[Mistake]:
    if isinstance(problem, SeveralMistakes):
        for single in problem.problems:
            yield from _mistakes(single)
    elif isinstance(problem, Rejected):
        yield from (Mistake(problem.field, fault.say()) for fault in problem.faults)
    else:
        yield Mistake(problem.field, problem.say())


def misread(errors: Sequence[Mapping[str, Any]]) -> list[Mistake]:
    """What is wrong with fields that have the wrong form, in words for people."""
    return [Mistake(_name(error["loc"]), _words(error)) for error in errors]


def _name(place: Sequence[int | str]) -> str:
    return next((step for step in reversed(place) if isinstance(step, str)), "")


def _words(error: Mapping[str, Any]) -> str:
    """A sentence for a fault that pydantic found.

    >>> _words({"type": "less_than_equal", "ctx": {"le": 50}, "msg": ""})
    'write a number that is at most 50'
    """
    limits = error.get("ctx", {})
    match error["type"]:
        case "int_parsing" | "int_from_float" | "int_type":
            return say("write a whole number, such as 3")
        case "greater_than_equal":
            return say("write a number that is at least %(least)s", least=limits["ge"])
        case "less_than_equal":
            return say("write a number that is at most %(most)s", most=limits["le"])
        case "string_too_long":
            return say("write at most %(most)s characters", most=limits["max_length"])
        case "string_too_short" | "missing":
            return say("fill this in")
        case "bool_parsing" | "literal_error":
            return say("choose one of the answers")
    return str(error["msg"])


def beside_fields(shown: HTMLResponse, action: str, problem: QuintainError) -> HTMLResponse:
    """A page that says at its top what is wrong, with the same beside the field of the form."""
    mistakes = [mistake for mistake in _mistakes(problem) if mistake.field]
    if not mistakes:
        return shown
    html = fill_form(bytes(shown.body).decode(), action, {}, mistakes, summary=False)
    return HTMLResponse(html, shown.status_code)


async def page_again(request: Request, mistakes: Sequence[Mistake] | None) -> Response | None:
    """The page of the form that was sent, filled in; None if no form of ours was sent."""
    if mistakes is None or request.method != "POST" or request.url.path.startswith("/api/"):
        return None
    form, place = sent_form(request), shown_on(request)
    shown = await _page(request, place) if place else None
    if form is None or shown is None:
        return None
    sent = {
        name: [text for text in form.getlist(name) if isinstance(text, str)]
        for name in form
        if name not in (FIELD, PAGE)
    }
    return HTMLResponse(fill_form(shown, request.url.path, sent, mistakes), 422)


def shown_on(request: Request) -> str:
    """The page of this site on which the visitor is: that of the form that was sent, if one was."""
    if request.method == "GET":
        return f"{request.url.path}?{request.url.query}".removesuffix("?")
    form = sent_form(request)
    place = "" if form is None else form.get(PAGE)
    return place if isinstance(place, str) and _is_local(place) else ""


def sent_form(request: Request) -> FormData | None:
    """The form that was read before a refusal; its files are closed."""
    form = getattr(request, "_form", None)
    return form if isinstance(form, FormData) else None


def _is_local(place: str) -> bool:
    return place.startswith("/") and not place.startswith(("//", "/api/"))


async def _page(request: Request, place: str) -> str | None:
    """The page at an address of this site, as the visitor may see it; None if there is none."""
    parts = urlsplit(place)
    kept = [
        pair for pair in request.scope["headers"] if not pair[0].startswith((b"content", b"hx"))
    ]
    scope = {
        **request.scope,
        "method": "GET",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "headers": kept,
        "path_params": {},
        SHOWN_AGAIN: True,
    }
    status, content_type, body = 500, "", bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status, content_type
        if message["type"] == "http.response.start":
            status = message["status"]
            content_type = Headers(raw=message["headers"]).get("content-type", "")
        else:
            body.extend(message.get("body", b""))

    try:
        await request.app.router(scope, receive, send)
    except HTTPException:  # there is no such address
        return None
    if status != 200 or not content_type.startswith("text/html"):
        return None
    return body.decode()
