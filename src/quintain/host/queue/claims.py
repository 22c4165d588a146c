"""Claims: a worker takes a job and finishes it; one that has lost its job changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, and_, func, or_, select, update
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.host.database.database import Database
from quintain.host.database.work import QueuedJob
from quintain.host.queue.order import Place, next_job, place_of

QUEUE = "queue"
"""The name under which writers of the queue wait for each other."""

LONGEST_WAIT = timedelta(seconds=60)
"""No job is put back for longer. One that seems to wait longer met a clock that was set back."""

_MEMORY = 1000
"""How many turns are remembered; a place without one among them is as good as new."""


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
        if session.execute(_waiting(lanes, now).limit(1)).first() is None:
            return None
    with database.writing(QUEUE) as session:
        last = session.scalar(select(func.max(QueuedJob.turn))) or 0
        number = _next(session, lanes, now, last)
        change = (
            update(QueuedJob)
            # Somebody who does not wait for the queue may have cancelled it.
            .where(QueuedJob.id == number, QueuedJob.state == "waiting")
            .values(
                state="running",
                worker=worker,
                started=now,
                attempt=QueuedJob.attempt + 1,
                beat=QueuedJob.beat + 1,
                not_before=None,
                turn=last + 1,
            )
            .execution_options(synchronize_session=False)
        )
        if number is None or session.execute(change).rowcount != 1:  # type: ignore[attr-defined]
            return None
        return Claim.of(session.get_one(QueuedJob, number))


def _next(session: Session, lanes: Sequence[str], now: datetime, last: int) -> int | None:
    waiting = session.execute(_waiting(lanes, now)).all()
    running = select(QueuedJob.lane, QueuedJob.edition, QueuedJob.team).where(
        QueuedJob.state == "running"
    )
    busy = {place_of(*row) for row in session.execute(running)}
    return next_job(waiting, busy, _turns(session, last))


def _turns(session: Session, last: int) -> dict[Place, int]:
    """The last turn of each place that had one lately."""
    job = (QueuedJob.lane, QueuedJob.edition, QueuedJob.team)
    recent = select(*job, func.max(QueuedJob.turn)).where(QueuedJob.turn > last - _MEMORY)
    latest: dict[Place, int] = {}
    for lane, edition, team, turn in session.execute(recent.group_by(*job)):
        place = place_of(lane, edition, team)
        latest[place] = max(turn or 0, latest.get(place, 0))
    return latest


def _waiting(lanes: Sequence[str], now: datetime) -> Select[int, str, str, str | None]:
    """The jobs that may start now, without their arguments: there can be many."""
    later = and_(QueuedJob.not_before > now, QueuedJob.not_before <= now + LONGEST_WAIT)
    return (
        select(QueuedJob.id, QueuedJob.lane, QueuedJob.edition, QueuedJob.team)
        .where(QueuedJob.state == "waiting", QueuedJob.lane.in_(lanes))
        .where(or_(QueuedJob.not_before.is_(None), ~later))
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
