"""Jobs: put work into the queue, in the transaction of what asks for it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.database.work import QueuedJob

Lane = Literal["clerk", "bench", "program"]


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
    return session.scalars(same).first() or enqueue(session, edition, lane, kind, now=now)
