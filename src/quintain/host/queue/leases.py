"""Leases: find jobs whose worker shows no sign of life, and give them to others.

A watcher remembers when it first saw each sign of life, by a clock that is never set. So it does
not matter if the clock of a machine is wrong or set back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import select

from quintain.host.database.database import Database
from quintain.host.database.work import QueuedJob
from quintain.host.queue.claims import QUEUE
from quintain.host.queue.endings import retry


class LeaseWatch:
    """Watches the running jobs of a site.

    Parameters
    ----------
    lease : how many seconds a job may go without a sign of life.
    steady : a clock that only goes forward.
    """

    def __init__(
        self, database: Database, lease: float, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._lease = lease
        self._steady = steady
        self._seen: dict[int, tuple[int, float]] = {}
        self._looked = steady()

    def free(self, now: datetime) -> list[int]:
        """Free the jobs whose lease is over; returns their numbers."""
        running = self._running()
        moment = self._steady()
        if moment - self._looked > self._lease:
            self._seen.clear()  # this process was stopped itself, or the database was away
        self._looked = moment
        seen = {job: (beat, moment) for job, beat in running.items()}
        for job, (beat, _) in seen.items():
            known = self._seen.get(job)
            if known is not None and known[0] == beat:
                seen[job] = known
        self._seen = seen
        lost = {job: beat for job, (beat, since) in seen.items() if moment - since > self._lease}
        return self._freed(lost, now) if lost else []

    def _running(self) -> dict[int, int]:
        """The signs of life of the running jobs."""
        query = select(QueuedJob.id, QueuedJob.beat).where(QueuedJob.state == "running")
        with self._database.reading() as session:
            return {row.id: row.beat for row in session.execute(query)}

    def _freed(self, lost: dict[int, int], now: datetime) -> list[int]:
        freed = []
        query = select(QueuedJob).where(QueuedJob.id.in_(lost)).order_by(QueuedJob.id)
        with self._database.writing(QUEUE) as session:
            # Its worker may be about to record an event: wait for that, and look again.
            for job in session.scalars(query.with_for_update()):
                if job.state == "running" and job.beat == lost[job.id]:
                    reason = f"worker {job.worker} stopped during attempt {job.attempt}"
                    retry(session, job, reason, now)
                    freed.append(job.id)
        return freed
