"""Claims: a worker takes a job and finishes it; one that has lost its job changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.host.database.database import Database
from quintain.host.database.work import QueuedJob, Upload
from quintain.host.queue.order import next_job

QUEUE = "queue"
"""The name under which writers of the queue wait for each other."""

_LOOK_AT = 1000
"""How many waiting jobs are looked at to find the next one."""


class Stale(QuintainError):
    """Another worker has the job by now; what this one did does not count."""

    status = 409


@dataclass(frozen=True, slots=True)
class Claim:
    """A job in the hands of a worker, as it was when the worker took it."""

    job: int
    attempt: int
    edition: str
    lane: str
    kind: str
    team: str | None
    account: int | None
    arguments: dict[str, Any]
    requested: datetime
    event: int | None

    @classmethod
    def of(cls, job: QueuedJob) -> Claim:
        """A claimed job."""
        facts = (job.edition, job.lane, job.kind, job.team, job.account, dict(job.arguments))
        return cls(job.id, job.attempt, *facts, job.requested, job.event)


def claim(database: Database, worker: str, lanes: Sequence[str], now: datetime) -> Claim | None:
    """Take the next job of some lanes; None if there is nothing to do."""
    with database.reading() as session:  # most of the time there is nothing, and no need to lock
        if session.scalars(_waiting(lanes, now).limit(1)).first() is None:
            return None
    with database.writing(QUEUE) as session:
        waiting = session.scalars(_waiting(lanes, now).limit(_LOOK_AT)).all()
        running = session.scalars(select(QueuedJob).where(QueuedJob.state == "running")).all()
        job = next_job(waiting, running)
        if job is None:
            return None
        job.state, job.worker, job.started = "running", worker, now
        job.attempt += 1
        job.beat += 1
        job.not_before = None
        return Claim.of(job)


def _waiting(lanes: Sequence[str], now: datetime) -> Any:
    return (
        select(QueuedJob)
        .where(QueuedJob.state == "waiting", QueuedJob.lane.in_(lanes))
        .where(or_(QueuedJob.not_before.is_(None), QueuedJob.not_before <= now))
        .order_by(QueuedJob.id)
    )


def require_held(session: Session, claim: Claim, **values: Any) -> None:
    """Change a job that a worker still holds, in a transaction; raises ``Stale`` if it does not."""
    change = (
        update(QueuedJob)
        .where(QueuedJob.id == claim.job, QueuedJob.attempt == claim.attempt)
        .where(QueuedJob.state == "running")
        .values(beat=QueuedJob.beat + 1, **values)
        .execution_options(synchronize_session=False)
    )
    if session.execute(change).rowcount != 1:  # type: ignore[attr-defined]
        raise Stale(f"job {claim.job} is in other hands than those of attempt {claim.attempt}")


def beat(database: Database, claim: Claim) -> None:
    """Show a sign of life; raises ``Stale`` if the job is in other hands."""
    with database.writing(QUEUE) as session:
        require_held(session, claim)


def finish(database: Database, claim: Claim, result: dict[str, Any], now: datetime) -> None:
    """The job is done."""
    with database.writing(QUEUE) as session:
        require_held(session, claim, state="done", result=result, reason="", ended=now)


def fail(database: Database, claim: Claim, reason: str, now: datetime) -> None:
    """The job cannot be done, and trying again would not help."""
    with database.writing(QUEUE) as session:
        require_held(session, claim)
        give_up(session, session.get_one(QueuedJob, claim.job), reason, now)


def give_up(session: Session, job: QueuedJob, reason: str, now: datetime) -> None:
    """End a job that failed. An upload that it was about costs its team no attempt."""
    job.state, job.reason, job.ended = "failed", reason, now
    upload = job.arguments.get("upload")
    if upload is not None:
        failed = update(Upload).where(Upload.id == upload, Upload.state == "waiting")
        session.execute(failed.values(state="failed", faults=[reason]))


def put_back(
    database: Database, claim: Claim, reason: str, now: datetime, *, seconds: float = 1.0
) -> None:
    """The job has to wait for something else; that is no attempt that failed."""
    later = now + timedelta(seconds=seconds)
    with database.writing(QUEUE) as session:
        require_held(
            session,
            claim,
            state="waiting",
            reason=reason,
            not_before=later,
            attempt=QueuedJob.attempt,
            max_attempts=QueuedJob.max_attempts + 1,
        )


def place_in_queue(session: Session, job: QueuedJob) -> int:
    """How many jobs of the same lane come before a waiting one."""
    before = select(func.count()).where(
        QueuedJob.lane == job.lane,
        QueuedJob.state.in_(("waiting", "running")),
        QueuedJob.id < job.id,
    )
    return int(session.scalar(before) or 0)
