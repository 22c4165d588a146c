"""Metrics: numbers about a running site, in the format of Prometheus."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.host.database.work import QueuedJob, Upload, WorkerRow
from quintain.host.site import Site

LOG = logging.getLogger("quintain.host.web")

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
