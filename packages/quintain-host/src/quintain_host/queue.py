"""The queue: jobs of a host, each claimed by one worker at a time.

A worker claims a job, shows signs of life while it works, and finishes it. The attempt is a fencing
number: it goes up with every claim, and a worker with an old one can change nothing any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain_host.database.database import Database
from quintain_host.database.upgrade import require_newest
from quintain_host.database.work import QueuedJob, Upload, WorkerRow

# --- putting jobs in ------------------------------------------------------------------------------


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
        place=place_of(lane, edition, team),
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


class RetryLater(QuintainError):
    """The job has to wait for something else; it goes back into the queue for some seconds."""

    def __init__(self, reason: str, seconds: float = 1.0) -> None:
        super().__init__(reason)
        self.seconds = seconds


# --- which job comes next -------------------------------------------------------------------------
#
# No team and no edition makes the others wait. Scoring does one job of an edition at a time, in the
# order in which the jobs came, and editions take turns. Of programs, each team has one that runs,
# and teams take turns. The intake begins its jobs in the order in which they came. Uploads of
# different teams are examined side by side, and each waits for its turn before it is recorded; see
# ``wait_for_turn``.


SIDE_BY_SIDE = ("check", "try")
"""The kinds of jobs of which a place may have several that run, if they are of different teams."""


class JobHead(NamedTuple):
    """The oldest job of a place that may start now; or a job that runs, without its number."""

    id: int
    lane: str
    place: str
    kind: str
    team: str | None


def place_of(lane: str, edition: str, team: str | None) -> str:
    """What jobs of a lane wait in line for: an edition, or a team where programs run.

    >>> place_of("intake", "amic", "red"), place_of("program", "amic", "red")
    ('amic', 'amic red')
    """
    return f"{edition} {team or ''}" if lane == "program" else edition


def next_job(
    heads: Iterable[JobHead],
    running: Collection[JobHead],
    turns: Mapping[tuple[str, str], int],
) -> int | None:
    """The number of the job that a worker should do now; None if all have to wait for others.

    Parameters
    ----------
    heads : the oldest job of each lane and place that may start now.
    running : the jobs that run.
    turns : the last turn of each lane and place that had one; who had it longest ago is next.
    """
    free = [head for head in heads if not any(_excludes(job, head) for job in running)]
    best = min(free, key=lambda head: (turns.get(head[1:3], 0), head.id), default=None)
    return None if best is None else best.id


def _excludes(job: JobHead, head: JobHead) -> bool:
    """Whether a job has to wait for the end of one that runs."""
    if (job.lane, job.place) != (head.lane, head.place):
        return False
    both = job.kind in SIDE_BY_SIDE and head.kind in SIDE_BY_SIDE
    return not both or job.team == head.team


# --- claims ---------------------------------------------------------------------------------------


QUEUE = "queue"
"""The name under which writers of the queue wait for each other."""

LONGEST_WAIT = timedelta(seconds=60)
"""No job is put back for longer. One that seems to wait longer met a clock that was set back."""


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
    """Take the next job of some lanes; None if there is nothing to do.

    Raises ``OutOfDate`` if the tables were upgraded since this process started: it would read and
    write rows that it does not know.
    """
    waiting = select(QueuedJob.id).where(QueuedJob.state == "waiting", QueuedJob.lane.in_(lanes))
    with database.reading() as session:  # most of the time there is nothing, and no need to lock
        if session.execute(waiting.where(_due(now)).limit(1)).first() is None:
            return None
    with database.writing(QUEUE) as session:
        require_newest(session)
        number = _next(session, lanes, now)
        last = session.scalar(select(func.max(QueuedJob.turn))) or 0
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


def _next(session: Session, lanes: Sequence[str], now: datetime) -> int | None:
    lines = {(lane, line.place): line for lane in lanes for line in _lines(session, lane, now)}
    facts = (QueuedJob.id, QueuedJob.lane, QueuedJob.place, QueuedJob.kind, QueuedJob.team)
    oldest = select(*facts).where(QueuedJob.id.in_([line.oldest for line in lines.values()]))
    running = select(*facts).where(QueuedJob.state == "running")
    return next_job(
        [JobHead(*row) for row in session.execute(oldest)],
        [JobHead(*row) for row in session.execute(running)],
        {place: line.turn or 0 for place, line in lines.items()},
    )


class _Line(NamedTuple):
    """The jobs of a place that wait: the oldest that may start now, and the place's last turn."""

    place: str
    oldest: int | None
    turn: int | None


def _lines(session: Session, lane: str, now: datetime) -> list[_Line]:
    """The line of every place of a lane in which jobs wait.

    Each step looks for the next place in the index, so nobody reads the many jobs of one place.
    """
    waiting = (QueuedJob.state == "waiting", QueuedJob.lane == lane)
    first = select(func.min(QueuedJob.place).label("place")).where(*waiting).cte(recursive=True)
    after = select(func.min(QueuedJob.place)).where(*waiting, QueuedJob.place > first.c.place)
    places = first.union_all(
        select(after.correlate(first).scalar_subquery()).where(first.c.place.is_not(None))
    )
    here = QueuedJob.place == places.c.place
    oldest = select(QueuedJob.id).where(*waiting, here, _due(now)).order_by(QueuedJob.id).limit(1)
    turn = select(func.max(QueuedJob.turn)).where(QueuedJob.lane == lane, here)
    inner = (each.correlate(places).scalar_subquery() for each in (oldest, turn))
    every = select(places.c.place, *inner).where(places.c.place.is_not(None))
    return [_Line(*row) for row in session.execute(every)]


def _due(now: datetime) -> ColumnElement[bool]:
    """Whether a job may start now."""
    later = and_(QueuedJob.not_before > now, QueuedJob.not_before <= now + LONGEST_WAIT)
    return or_(QueuedJob.not_before.is_(None), ~later)


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


_LOOK_AGAIN = 0.02
"""How many seconds pass between two looks at the jobs that came first."""


def wait_for_turn(database: Database, claim: JobClaim, now: Callable[[], datetime]) -> None:
    """Wait until no job of the same line that came first is to be recorded any more.

    The oldest job that runs waits for nobody, so there is always one that goes on. If a job that
    came first has lost its worker, this one goes back into the queue, and the worker takes that
    one. A job that waits for the machine to be mended holds up nobody.
    """
    place = place_of(claim.lane, claim.edition, claim.team)
    first = select(QueuedJob.state).where(
        QueuedJob.lane == claim.lane,
        QueuedJob.place == place,
        QueuedJob.id < claim.job,
        QueuedJob.kind != "try",
    )
    while True:
        open_now = or_(
            QueuedJob.state == "running", and_(QueuedJob.state == "waiting", _due(now()))
        )
        with database.reading() as session:
            states = set(session.scalars(first.where(open_now)))
        if not states:
            return
        if "waiting" in states:
            raise RetryLater("waits for an upload that came first", seconds=0.0)
        time.sleep(_LOOK_AGAIN)


def beat(database: Database, claim: JobClaim) -> None:
    """Show a sign of life; raises ``Stale`` if the job is in other hands."""
    with database.writing(QUEUE) as session:
        require_held(session, claim)


# --- endings --------------------------------------------------------------------------------------


NOT_CHECKED = (
    "this site could not check the upload, which is not your fault: it costs no attempt; send "
    "it again, or ask the organisers"
)
"""What a team reads of an upload that failed; the reason itself is for organisers."""


def finish(database: Database, claim: JobClaim, result: dict[str, Any], now: datetime) -> None:
    """The job is done."""
    with database.writing(QUEUE) as session:
        require_held(session, claim, state="done", result=result, reason="", ended=now)


def fail(database: Database, claim: JobClaim, reason: str, now: datetime) -> None:
    """The job cannot be done, and trying again would not help."""
    with database.writing(QUEUE) as session:
        require_held(session, claim)
        job = session.get_one(QueuedJob, claim.job)
        if job.event is None:
            give_up(session, job, reason, now)
        else:  # what counts is recorded; what follows it can still be done
            retry(session, job, reason, now, seconds=2.0)


def try_again(
    database: Database, claim: JobClaim, reason: str, now: datetime, *, seconds: float = 0.0
) -> None:
    """The attempt failed; there may be another one."""
    with database.writing(QUEUE) as session:
        require_held(session, claim)
        retry(session, session.get_one(QueuedJob, claim.job), reason, now, seconds=seconds)


def put_back(
    database: Database, claim: JobClaim, reason: str, now: datetime, *, seconds: float = 1.0
) -> None:
    """The job has to wait for something else; that is not an attempt that failed."""
    with database.writing(QUEUE) as session:
        require_held(
            session,
            claim,
            state="waiting",
            reason=reason,
            not_before=_after(now, seconds),
            max_attempts=QueuedJob.max_attempts + 1,
        )


def retry(
    session: Session, job: QueuedJob, reason: str, now: datetime, *, seconds: float = 0.0
) -> None:
    """Let a job be tried again, if it has attempts left; a job that recorded something has more."""
    most = job.max_attempts * (1 if job.event is None else 2)
    if job.attempt >= most:
        give_up(session, job, f"{reason}; this was attempt {job.attempt} and the last", now)
        return
    job.state, job.reason = "waiting", reason
    job.not_before = _after(now, seconds) if seconds else None


def give_up(session: Session, job: QueuedJob, reason: str, now: datetime) -> None:
    """End a job that failed. An upload that it was about costs its team no attempt."""
    job.state, job.reason, job.ended = "failed", reason, now
    session.flush()  # the job first: a worker that records its event locks them in this order
    upload = job.arguments.get("upload")
    if upload is not None:
        unread = Upload.state.in_(("waiting", "trying"))
        failed = update(Upload).where(Upload.id == upload, unread)
        session.execute(failed.values(state="failed", faults=[NOT_CHECKED]))


def _after(now: datetime, seconds: float) -> datetime:
    return now + min(timedelta(seconds=seconds), LONGEST_WAIT)


# --- leases: jobs whose worker shows no sign of life ----------------------------------------------


class LeaseWatch:
    """Watches the running jobs of a site.

    It remembers when it first saw each sign of life, by a clock that is never set. So it does not
    matter if the clock of a machine is wrong or set back.

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
        return self._free(lost, now) if lost else []

    def _running(self) -> dict[int, int]:
        """The signs of life of the running jobs."""
        query = select(QueuedJob.id, QueuedJob.beat).where(QueuedJob.state == "running")
        with self._database.reading() as session:
            return {row.id: row.beat for row in session.execute(query)}

    def _free(self, lost: dict[int, int], now: datetime) -> list[int]:
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


# --- workers that were seen lately ----------------------------------------------------------------


_FORGET = timedelta(days=1)
"""A worker that was not seen for so long is forgotten."""

LATELY = timedelta(seconds=60)
"""A worker that was seen within this time is at work."""


def show_presence(
    database: Database,
    name: str,
    lanes: Sequence[str],
    now: datetime,
    *,
    able: bool = False,
    why: str = "",
) -> None:
    """Say that a worker is here, and forget those that were gone for long.

    Parameters
    ----------
    able, why : whether it may run programs of strangers, and why not.
    """
    with database.writing(QUEUE) as session:
        worker = session.get(WorkerRow, name)
        if worker is None:
            worker = WorkerRow(name=name, started=now)
            session.add(worker)
        worker.lanes, worker.able, worker.why, worker.seen = list(lanes), able, why, now
        session.flush()
        session.execute(delete(WorkerRow).where(WorkerRow.seen < now - _FORGET))


def leave(database: Database, name: str) -> None:
    """Say that a worker has ended."""
    with database.writing(QUEUE) as session:
        session.execute(delete(WorkerRow).where(WorkerRow.name == name))


def present(database: Database, now: datetime, within: timedelta = LATELY) -> list[WorkerRow]:
    """The workers that were seen lately, by name."""
    lately = select(WorkerRow).where(WorkerRow.seen >= now - within).order_by(WorkerRow.name)
    with database.reading() as session:
        return list(session.scalars(lately))
