"""Render: a template with the facts that every page shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from quintain.host.web.requests import site_of, visitor_of
from quintain.host.web.security.csrf import csrf, csrf_token

TEMPLATES = Path(__file__).parent.parent / "templates"

ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.globals |= {"csrf": csrf, "csrf_token": csrf_token}


def page(request: Request, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
    """A page; templates know the site, the visitor and the request."""
    site = site_of(request)
    html = ENVIRONMENT.get_template(template).render(
        site=site.settings, visitor=visitor_of(request), request=request, **facts
    )
    return HTMLResponse(html, status_code=status)
