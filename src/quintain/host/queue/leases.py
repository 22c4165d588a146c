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
from quintain.host.queue.claims import QUEUE, give_up


class Watch:
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

    def free(self, now: datetime) -> list[int]:
        """Free the jobs whose lease is over; returns their numbers."""
        with self._database.reading() as session:
            running = session.execute(
                select(QueuedJob.id, QueuedJob.beat).where(QueuedJob.state == "running")
            ).all()
        moment = self._steady()
        seen = {job: (beat, moment) for job, beat in running}
        for job, (beat, _) in seen.items():
            known = self._seen.get(job)
            if known is not None and known[0] == beat:
                seen[job] = known
        self._seen = seen
        lost = {job: beat for job, (beat, since) in seen.items() if moment - since > self._lease}
        return self._freed(lost, now) if lost else []

    def _freed(self, lost: dict[int, int], now: datetime) -> list[int]:
        freed = []
        with self._database.writing(QUEUE) as session:
            for job in session.scalars(select(QueuedJob).where(QueuedJob.id.in_(lost))):
                if job.state != "running" or job.beat != lost[job.id]:
                    continue
                freed.append(job.id)
                if job.attempt < job.max_attempts:
                    job.state = "waiting"
                    job.reason = f"worker {job.worker} stopped during attempt {job.attempt}"
                else:
                    reason = f"the worker stopped in each of {job.attempt} attempts"
                    give_up(session, job, reason, now)
        return freed
