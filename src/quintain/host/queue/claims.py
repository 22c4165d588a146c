"""Claims: a worker takes a job and finishes it; one that has lost its job changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Select, and_, func, or_, select, update
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.host.database.database import Database
from quintain.host.database.work import QueuedJob

# Order: which job comes next, so that no team and no edition makes the others wait.
#
# Intake and scoring do one job of an edition at a time, in the order in which the jobs came, and
# editions take turns. Of programs, each team has one that runs, and teams take turns.


class QueuePlace(NamedTuple):
    """What one job at a time is done for: an edition, or a team where programs run."""

    lane: str
    edition: str
    team: str


class Ordered(Protocol):
    """What decides about the place of a job."""

    id: int
    lane: str
    edition: str
    team: str | None


def place_of(lane: str, edition: str, team: str | None) -> QueuePlace:
    """The place of a job with these facts.

    >>> place_of("intake", "amic", "red")
    QueuePlace(lane='intake', edition='amic', team='')
    """
    return QueuePlace(lane, edition, (team or "") if lane == "program" else "")


def next_job(
    waiting: Iterable[Ordered], busy: Collection[QueuePlace], turns: Mapping[QueuePlace, int]
) -> int | None:
    """The number of the job that a worker should do now; None if all have to wait for others.

    Parameters
    ----------
    waiting : the jobs that may start now.
    busy : the places with a job that runs.
    turns : the last turn of each place that had one; who had it longest ago is next.
    """
    free = [job for job in waiting if _place(job) not in busy]
    best = min(free, key=lambda job: (turns.get(_place(job), 0), job.id), default=None)
    # The oldest of the place that is next, whatever the order in which they were given.
    return None if best is None else best.id


def _place(job: Ordered) -> QueuePlace:
    return place_of(job.lane, job.edition, job.team)


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
class JobClaim:
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
    def of(cls, job: QueuedJob) -> JobClaim:
        """A claimed job."""
        facts = (job.edition, job.lane, job.kind, job.team, job.account, dict(job.arguments))
        return cls(job.id, job.attempt, *facts, job.requested, job.event)


def claim(database: Database, worker: str, lanes: Sequence[str], now: datetime) -> JobClaim | None:
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
        return JobClaim.of(session.get_one(QueuedJob, number))


def _next(session: Session, lanes: Sequence[str], now: datetime, last: int) -> int | None:
    waiting = session.execute(_waiting(lanes, now)).all()
    running = select(QueuedJob.lane, QueuedJob.edition, QueuedJob.team).where(
        QueuedJob.state == "running"
    )
    busy = {place_of(*row) for row in session.execute(running)}
    return next_job(waiting, busy, _turns(session, last))


def _turns(session: Session, last: int) -> dict[QueuePlace, int]:
    """The last turn of each place that had one lately."""
    job = (QueuedJob.lane, QueuedJob.edition, QueuedJob.team)
    recent = select(*job, func.max(QueuedJob.turn)).where(QueuedJob.turn > last - _MEMORY)
    latest: dict[QueuePlace, int] = {}
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


def require_held(session: Session, claim: JobClaim, **values: Any) -> None:
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


def beat(database: Database, claim: JobClaim) -> None:
    """Show a sign of life; raises ``Stale`` if the job is in other hands."""
    with database.writing(QUEUE) as session:
        require_held(session, claim)
