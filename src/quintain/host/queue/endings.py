"""Endings: a job is done, fails, waits for something, or is tried again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.host.database.database import Database
from quintain.host.database.work import QueuedJob, Upload
from quintain.host.queue.claims import LONGEST_WAIT, QUEUE, JobClaim, require_held

NOT_CHECKED = (
    "this site could not check the upload, which is no fault of yours: it costs no attempt; send "
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
    """The job has to wait for something else; that is no attempt that failed."""
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
