"""App: the web application of a site."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute

from quintain import __version__
from quintain_host.sign_on.providers import open_providers
from quintain_host.site import Site
from quintain_host.web.api.routes import API
from quintain_host.web.errors import add_error_pages
from quintain_host.web.kept_pages import KeptPages
from quintain_host.web.languages import SpokenLanguage
from quintain_host.web.observing import HEALTH, Metrics, RequestLog
from quintain_host.web.pages.routes import PAGES
from quintain_host.web.security.csrf import refuse_forgery
from quintain_host.web.security.middleware import (
    BodyFirst,
    HeadAnswers,
    RequestFilter,
    SecureHeaders,
)
from quintain_host.web.security.rate_limits import limit_changes
from quintain_host.web.security.shared_limits import limits_of
from quintain_host.web.static_files import FOLDER, STYLES, Versioned

_EVERY_REQUEST = (Depends(limit_changes), Depends(refuse_forgery))
"""What is asked before every request, whatever its route."""


def make_app(site: Site) -> FastAPI:
    """The application of a site; several processes may serve one site."""
    app = FastAPI(
        title=site.settings.title,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        dependencies=[*_EVERY_REQUEST],
    )
    app.state.site = site
    app.state.limits = limits_of(site)
    app.state.providers = open_providers(site.settings)
    app.state.metrics = Metrics(site)
    add_error_pages(app)
    app.router.routes += _routes()
    app.mount("/static", Versioned(directory=FOLDER), name="static")
    app.add_middleware(HeadAnswers)
    app.add_middleware(BodyFirst)
    app.add_middleware(KeptPages, seconds=site.settings.page_seconds)
    app.add_middleware(RequestFilter, settings=site.settings, limits=app.state.limits)
    app.add_middleware(SpokenLanguage, site=site)
    app.add_middleware(SecureHeaders, settings=site.settings)
    app.add_middleware(RequestLog, metrics=app.state.metrics)  # the last one added is outermost
    return app


@cache
def _routes() -> list[BaseRoute]:
    """All routes but the files; they know no site, so all sites of a process share them.

    What FastAPI prepares for a route takes time and lives with it.
    """
    router = APIRouter(dependencies=[*_EVERY_REQUEST])
    router.include_router(API, prefix="/api")
    for pages in (PAGES, HEALTH, STYLES):
        router.include_router(pages, include_in_schema=False)
    return router.routes
