"""Render: a template with the facts that every page shows."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup

from quintain import figures
from quintain.figures.format import printable
from quintain.figures.page import WORDS
from quintain.host.web.flash import forget, notice
from quintain.host.web.requests import site_of, visitor_of
from quintain.host.web.security.csrf import csrf, csrf_token
from quintain.host.web.static_files import static
from quintain.runs import report

TEMPLATES = Path(__file__).parent.parent / "templates"
SHARED = Path(figures.__path__[0]) / "page"
"""The macros that reports and pages share, such as ``words.html.j2``."""
REPORT = Path(report.__path__[0])
"""The templates of reports; pages name them ``report/macros.html.j2``."""


def moment(time: datetime) -> Markup:
    """A time in UTC, for people and for browsers."""
    text = f"{time:%-d %B %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(time.isoformat(), text)


def visible(value: object) -> object:
    """Text without invisible characters, but with its lines; Jinja escapes the rest."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    lines = value.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in lines)


ENVIRONMENT = Environment(
    loader=ChoiceLoader(
        [
            FileSystemLoader([TEMPLATES, SHARED]),
            PrefixLoader({"report": FileSystemLoader(REPORT)}),
        ]
    ),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=visible,
)
ENVIRONMENT.filters.update(WORDS | {"moment": moment})
ENVIRONMENT.globals |= {"static": static, "csrf": csrf, "csrf_token": csrf_token}


def sign_in_path(request: Request) -> str:
    """The address of the page to sign in, which leads back to this page."""
    if request.method != "GET" or request.url.path in ("/", "/sign-in", "/sign-up"):
        return "/sign-in"
    here = f"{request.url.path}?{request.url.query}".removesuffix("?")  # an invitation is a query
    return f"/sign-in?next={quote(here)}"


def page(request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
    """A page; templates know the site, the visitor and the request."""
    site = site_of(request)
    html = ENVIRONMENT.get_template(template).render(
        site=site.settings,
        visitor=visitor_of(request),
        request=request,
        notice=notice(request),
        now=site.clock.now(),
        sign_in_path=sign_in_path(request),
        status=status,
        **facts,
    )
    response = HTMLResponse(html, status_code=status)
    forget(request, response)
    return response
