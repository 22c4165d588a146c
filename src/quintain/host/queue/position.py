"""Position: how many jobs come before a waiting one, for the people who wait for it."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.database.work import QueuedJob
from quintain.host.queue.claims import turns
from quintain.host.queue.order import jobs_before


def place_in_queue(session: Session, job: QueuedJob) -> int:
    """How many jobs of its lane one worker would do before this one; 0 if it does not wait."""
    if job.state != "waiting":
        return 0
    columns = (QueuedJob.id, QueuedJob.lane, QueuedJob.edition, QueuedJob.team)
    lane = select(*columns, QueuedJob.state).where(QueuedJob.lane == job.lane)
    rows = session.execute(lane.where(QueuedJob.state.in_(("waiting", "running")))).all()
    waiting = [row for row in rows if row.state == "waiting"]
    running = len(rows) - len(waiting)
    return running + jobs_before(job.id, waiting, turns(session))
