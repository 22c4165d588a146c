"""Forms: what the fields of organisers' forms mean, and where a browser goes after one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from quintain.errors import EditionError
from quintain_host.web.api.organise.fields import Line, Text
from quintain_host.web.pages.render import page, redirect

LineField = Annotated[Line, Form()]
TextField = Annotated[Text, Form()]


def go_to(request: Request, edition: str, place: str, notice: str = "") -> RedirectResponse:
    """Go to a page of the contest's organisers, which shows a sentence once.

    A page that shows how a job goes gets none: the job may fail beside it.
    """
    return redirect(request, f"/organise/{edition}{place}", notice)


def organise_page(
    request: Request, template: str, edition: Any, status: int = 200, **facts: Any
) -> HTMLResponse:
    """A page of a contest for its organisers."""
    return page(request, f"organise/{template}.html.j2", status, edition=edition, **facts)


def fault_lines(problem: EditionError | None) -> list[str]:
    """Every fault of an edition file, one line each."""
    return [] if problem is None else [fault.say() for fault in problem.faults]
