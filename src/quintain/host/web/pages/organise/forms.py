"""Forms: what the fields of organisers' forms mean, and where a browser goes after one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from quintain.contests.roster import Quota
from quintain.errors import Refused
from quintain.host.web.api.organise.fields import Line, Text
from quintain.host.web.flash import redirect
from quintain.host.web.pages.render import page

LineField = Annotated[Line, Form()]
TextField = Annotated[Text, Form()]


def number(text: str, name: str) -> int | None:
    """A number that somebody typed; None if the field is empty."""
    if not text.strip():
        return None
    if not text.strip().isascii() or not text.strip().isdecimal() or len(text) > 9:
        raise Refused(f"{name}: type a number, or leave the field empty")
    return int(text)


def _quota(per_day: LineField = "", total: LineField = "", per_file: LineField = "") -> Quota:
    return Quota(
        number(per_day, "per day"), number(total, "in total"), number(per_file, "per file")
    )


QuotaFields = Annotated[Quota, Depends(_quota)]
"""The limits of a team, from three fields of a form."""


def done(request: Request, edition: str, place: str, notice: str) -> RedirectResponse:
    """Go to a page of the contest's organisers, which shows a sentence once."""
    return redirect(request, f"/organise/{edition}{place}", notice)


def organise_page(
    request: Request, template: str, edition: Any, status: int = 200, **facts: Any
) -> HTMLResponse:
    """A page of a contest for its organisers."""
    return page(request, f"organise/{template}.html.j2", status, edition=edition, **facts)
