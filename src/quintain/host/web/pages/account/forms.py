"""Forms of accounts: fields, the cookie of a request, and forms that are shown again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Form, Request
from fastapi.responses import Response

from quintain.errors import QuintainError
from quintain.host.web.pages.render import page
from quintain.host.web.requests import site_of
from quintain.host.web.security.cookies import cookie_name
from quintain.host.web.security.rate_limits import TooMany

Text = Annotated[str, Form(max_length=1000)]


def cookie_of(request: Request) -> str:
    """The secret of the visitor's session; empty if there is none."""
    return request.cookies.get(cookie_name(site_of(request).settings), "")


def or_again(
    request: Request, template: str, work: Callable[[], Response], **fields: Any
) -> Response:
    """Do the work of a form. If it is refused, show the form again with the reason.

    Parameters
    ----------
    fields : what the form shows again; never a password.
    """
    try:
        return work()
    except TooMany:
        raise
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        return page(request, template, problem.status, problem=str(problem), **fields)
