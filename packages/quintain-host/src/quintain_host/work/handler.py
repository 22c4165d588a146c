"""Handlers: functions that do one kind of job, found by its name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.jobs.executor import Executor
from quintain.journal.events import Event, read_event
from quintain_host import work
from quintain_host.database.base import JOURNAL
from quintain_host.database.work import QueuedJob, Upload
from quintain_host.editions.hosted_folder import HostedFolder
from quintain_host.notices.inbox import notify_of_event
from quintain_host.programs.queue_sandbox import ThroughQueue
from quintain_host.queue import UNFINISHED, JobClaim, RetryLater, beat, enqueue_once, require_held
from quintain_host.site import Site

Handler = Callable[["HandlerTask"], dict[str, Any]]

HANDLERS: dict[str, Handler] = {}
"""The handler of each kind of job."""


@dataclass(frozen=True, slots=True)
class HandlerTask:
    """A claimed job on a site: what a handler works on."""

    site: Site
    claim: JobClaim

    def folder(self, beside: Callable[[Session, int], None] | None = None) -> HostedFolder:
        """The edition folder, complete up to now.

        What it appends and writes counts only while this worker holds the job.
        """

        def record(session: Session, number: int) -> None:
            require_held(session, self.claim, event=number)
            if self.claim.kind != "check":
                self._require_no_earlier(session, number)
            if beside is not None:
                beside(session, number)
            event = _read_row(session, self.claim.edition, number)
            notify_of_event(session, self.site, self.claim.edition, event)
            enqueue_once(session, self.claim.edition, "scoring", "score", now=self.site.clock.now())

        def guard() -> None:
            beat(self.site.database, self.claim)

        def require(session: Session) -> None:
            require_held(session, self.claim)

        folder = self.site.folder(self.claim.edition, record, guard, require)
        folder.store.catch_up()
        return folder

    def _require_no_earlier(self, session: Session, number: int) -> None:
        """Wait for an upload that came first, though its row was written later than the event's."""
        event = _read_row(session, self.claim.edition, number)
        arrived = self._oldest_upload(session)
        if arrived is not None and arrived < event.moment:
            raise RetryLater("waits for an upload that came first and is being checked")

    def containment(self) -> ThroughQueue:
        """Where programs of teams run: never in the process that can read the truths."""
        return ThroughQueue(self.site, self.claim.edition)

    def executor(self) -> Executor:
        """Where the heavy work of the scoring worker runs: in this process, or on a cluster."""
        settings = self.site.settings
        return Executor(1, settings.cluster or None, settings.cluster_tls)

    def time(self) -> datetime:
        """The time for the events of this job: never after an upload that still waits.

        The journal goes forward in time. An upload that came before a deadline must not be late
        because of an event that was recorded while it waited.
        """
        with self.site.database.reading() as session:
            arrived = self._oldest_upload(session)
        now = self.site.clock.now()
        return now if arrived is None else min(now, arrived)

    def _oldest_upload(self, session: Session) -> datetime | None:
        """When the oldest upload came that still waits."""
        waiting = select(func.min(Upload.arrived)).where(
            Upload.edition == self.claim.edition, Upload.state == "waiting"
        )
        return session.scalar(waiting)

    def require_no_uploads(self) -> None:
        """Wait for the uploads, and for the choices, that came before this job was asked for."""
        with self.site.database.reading() as session:
            uploads = select(func.count()).where(
                Upload.edition == self.claim.edition,
                Upload.state == "waiting",
                Upload.arrived <= self.claim.requested,
            )
            choices = select(func.count()).where(
                QueuedJob.edition == self.claim.edition,
                QueuedJob.kind == "choose",
                QueuedJob.state.in_(UNFINISHED),
                QueuedJob.requested <= self.claim.requested,
            )
            left = (session.scalar(uploads) or 0) + (session.scalar(choices) or 0)
        if left:
            raise RetryLater(f"waits for {left} uploads or choices that came first")


def _read_row(session: Session, edition: str, number: int) -> Event:
    """An event of the journal, as it is in the database."""
    row = (JOURNAL.c.journal == edition) & (JOURNAL.c.number == number)
    line: str = session.execute(select(JOURNAL.c.line).where(row)).scalar_one()
    return read_event(line.encode())


def handler(kind: str) -> Callable[[Handler], Handler]:
    """Register the function that does a kind of job."""

    def register(function: Handler) -> Handler:
        if kind in HANDLERS:
            raise ValueError(f"two functions do jobs of the kind {kind!r}")
        HANDLERS[kind] = function
        return function

    return register


@cache
def every_handler() -> dict[str, Handler]:
    """The handlers by the kind of job that they do."""
    for module in pkgutil.iter_modules(work.__path__):
        importlib.import_module(f"{work.__name__}.{module.name}")
    return HANDLERS
