"""Observing: what operators learn of a running web process, from metrics, logs and health.

The log has one line for each request, with a number that its answer has, too. A line has the path
and never the query, no address and no header. Long words of a path are left out, because links with
a secret have one.
"""

from __future__ import annotations

import hmac
import logging
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quintain_host.access import NotThere
from quintain_host.database.upgrade import newest, version
from quintain_host.database.work import QueuedJob, Upload, WorkerRow
from quintain_host.site import Site
from quintain_host.web.requests import SiteOf

LOG = logging.getLogger("quintain_host.web")

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """What one web process counts, and what the database of its site says."""

    def __init__(self, site: Site) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "quintain_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "quintain_request_seconds",
            "How long answers took.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._registry.register(SiteCollector(site))

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE") else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All metrics as Prometheus reads them."""
        return generate_latest(self._registry)


class SiteCollector(Collector):
    """Reads the numbers of a site when somebody asks for them."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def describe(self) -> list[Metric]:
        """Nothing is read when the collector is registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The numbers as they are now."""
        free = shutil.disk_usage(self._site.root).free
        yield _gauge("quintain_disk_free_bytes", "Room on the disk of the site.", free)
        try:
            with self._site.database.reading() as session:
                rows = [*self._jobs(session), *self._workers(session), _uploads(session)]
        except Exception:
            LOG.exception("the database does not answer")
            rows = []
        yield _gauge("quintain_database_up", "Whether the database answers.", float(bool(rows)))
        yield from rows

    def _jobs(self, session: Session) -> Iterator[Metric]:
        jobs = GaugeMetricFamily("quintain_jobs", "Jobs of the queue.", labels=("lane", "state"))
        counted = select(QueuedJob.lane, QueuedJob.state, func.count())
        for lane, state, number in session.execute(
            counted.group_by(QueuedJob.lane, QueuedJob.state)
        ):
            jobs.add_metric((lane, state), number)
        yield jobs
        oldest = GaugeMetricFamily(
            "quintain_oldest_waiting_job_seconds",
            "How long the oldest job has waited that could run.",
            labels=("lane",),
        )
        now = self._site.clock.now()
        waiting = select(QueuedJob.lane, func.min(QueuedJob.requested)).where(
            QueuedJob.state == "waiting"
        )
        for lane, requested in session.execute(waiting.group_by(QueuedJob.lane)):
            oldest.add_metric((lane,), max(0.0, (now - requested).total_seconds()))
        yield oldest

    def _workers(self, session: Session) -> Iterator[Metric]:
        seen = GaugeMetricFamily(
            "quintain_worker_seen_seconds",
            "How long ago each worker showed a sign of life.",
            labels=("worker",),
        )
        now = self._site.clock.now()
        for worker in session.scalars(select(WorkerRow)):
            seen.add_metric((worker.name,), max(0.0, (now - worker.seen).total_seconds()))
        yield seen


def _uploads(session: Session) -> Metric:
    uploads = GaugeMetricFamily("quintain_uploads", "Uploads of teams.", labels=("state",))
    for state, number in session.execute(select(Upload.state, func.count()).group_by(Upload.state)):
        uploads.add_metric((state,), number)
    return uploads


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


_LONG = re.compile(r"[^/]{40,}")


class RequestLog:
    """Logs and counts every request, around everything else that an application does."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, number = time.perf_counter(), 500, secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = number

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", number.encode()))
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            seconds = time.perf_counter() - began
            self._metrics.count(scope["method"], route_of(scope), status, seconds)
            _log(scope, number, status, seconds)


def _log(scope: Scope, number: str, status: int, seconds: float) -> None:
    visitor = scope["state"].get("visitor")
    facts = {
        "request": number,
        "method": scope["method"],
        "path": shown_path(scope["path"]),
        "status": status,
        "ms": round(1000 * seconds, 1),
        "account": getattr(visitor, "account", None),
    }
    LOG.log(logging.WARNING if status >= 500 else logging.INFO, "request", extra=facts)


def shown_path(path: str) -> str:
    """The path of a request as the log has it: on one line, and without secrets."""
    return quote(_LONG.sub("...", path))[:200]


def route_of(scope: Scope) -> str:
    """The pattern of the path, of which there are few; "other" if there is none."""
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "other"
    api = scope["path"].startswith("/api/") and not pattern.startswith("/api/")
    return f"/api{pattern}" if api else str(pattern)


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
