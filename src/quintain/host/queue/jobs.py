"""Jobs: put work into the queue, in the transaction of what asks for it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.database.work import QueuedJob

Lane = Literal["intake", "scoring", "program"]

UNFINISHED = ("waiting", "running")
"""The states of a job that is not over."""


def enqueue(
    session: Session,
    edition: str,
    lane: Lane,
    kind: str,
    *,
    now: datetime,
    team: str | None = None,
    account: int | None = None,
    arguments: dict[str, Any] | None = None,
) -> QueuedJob:
    """Put a job into the queue."""
    job = QueuedJob(
        edition=edition,
        lane=lane,
        kind=kind,
        team=team,
        account=account,
        arguments=arguments or {},
        requested=now,
    )
    session.add(job)
    session.flush()
    return job


def enqueue_once(
    session: Session, edition: str, lane: Lane, kind: str, *, now: datetime
) -> QueuedJob:
    """Put a job into the queue, unless one like it waits already and will see what is new."""
    same = select(QueuedJob).where(
        QueuedJob.edition == edition, QueuedJob.kind == kind, QueuedJob.state == "waiting"
    )
    # The lock: nobody may take the job before what is new is committed, else it would not see it.
    waiting = session.scalars(same.limit(1).with_for_update()).first()
    if waiting is not None:
        return waiting
    job = enqueue(session, edition, lane, kind, now=now)
    job.max_attempts = 10  # it stands for everything that happened: nobody asks for it again
    return job
