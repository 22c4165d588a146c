"""Health: whether the process lives, whether the site is ready, and its metrics."""

from __future__ import annotations

import hmac
import logging

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from quintain.host.access import NotThere
from quintain.host.database.upgrade import newest, version
from quintain.host.site import Site
from quintain.host.web.requests import SiteOf

LOG = logging.getLogger("quintain.host.web")

HEALTH = APIRouter()

_LOOPBACK = ("127.0.0.1", "::1")


@HEALTH.get("/healthz")
def healthz() -> PlainTextResponse:
    """The process lives; that says nothing about the database."""
    return PlainTextResponse("ok\n")


@HEALTH.get("/readyz")
def readyz(site: SiteOf) -> PlainTextResponse:
    """Whether the site can answer requests: 200 or 503."""
    problem = _problem(site)
    return PlainTextResponse(f"{problem or 'ready'}\n", status_code=503 if problem else 200)


@HEALTH.get("/metrics")
def metrics(request: Request, site: SiteOf) -> Response:
    """Numbers for Prometheus: for this machine, or with the token of the settings."""
    if not (_is_local(request) or _has_token(request, site)):
        raise NotThere("there is no such page")
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")


def _problem(site: Site) -> str:
    try:
        return "" if version(site.database) == newest() else "the database needs an upgrade"
    except Exception:
        LOG.exception("the database does not answer")
        return "the database does not answer"


def _is_local(request: Request) -> bool:
    """Whether a program on this machine asks; a reverse proxy asks for somebody else."""
    forwarded = {"forwarded", "x-forwarded-for", "x-real-ip"} & set(request.headers)
    client = request.client
    return client is not None and client.host in _LOOPBACK and not forwarded


def _has_token(request: Request, site: Site) -> bool:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    expected = site.settings.metrics_token
    right = hmac.compare_digest(token.strip().encode(), expected.encode())
    return bool(expected) and kind.lower() == "bearer" and right
