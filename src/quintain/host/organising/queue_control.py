"""Queue control: organisers look at the jobs of their contest, try one again, or cancel it."""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from quintain.host.access import NotThere, Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import RegisteredTeam, Rejudging
from quintain.host.database.work import QueuedJob, Upload
from quintain.host.queue.claims import QUEUE
from quintain.host.queue.jobs import UNFINISHED
from quintain.host.refusals import Conflict
from quintain.host.site import Site

MORE_ATTEMPTS = 3
SHOWN = 100


def jobs_of(site: Site, visitor: Visitor, edition: str) -> list[QueuedJob]:
    """What is not over and what failed comes first, then what ended last."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        own = select(QueuedJob).where(QueuedJob.edition == edition)
        stuck = own.where(QueuedJob.state.in_((*UNFINISHED, "failed")))
        ended = own.where(QueuedJob.state.in_(("done", "cancelled")))
        newest = ended.order_by(QueuedJob.id.desc()).limit(20)
        first = session.scalars(stuck.order_by(QueuedJob.id).limit(SHOWN)).all()
        return [*first, *session.scalars(newest)]


def job_of(site: Site, visitor: Visitor, edition: str, number: int) -> QueuedJob:
    """One job of a contest."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        return _job(session, edition, number)


def retry(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Put a failed job into the queue again; an upload that it is about waits again."""
    visitor.require_organiser(edition)
    with site.database.writing(QUEUE) as session:
        job = _job(session, edition, number)
        if job.state != "failed":
            raise Conflict(f"job {number} is {job.state}; only a failed job can be tried again")
        job.state, job.reason, job.ended = "waiting", "", None
        job.max_attempts = job.attempt + MORE_ATTEMPTS
        _set_upload(session, job, "failed", "waiting", [])
        _set_rejudging(session, job, "failed", "waiting")
        log(session, site, visitor, "job.retry", edition, job=number, kind=job.kind)


def cancel(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Take a job out of the queue that waits or has failed; one that runs has to end by itself."""
    visitor.require_organiser(edition)
    with site.database.writing(QUEUE) as session:
        job = _job(session, edition, number)
        if job.state not in ("waiting", "failed"):
            raise Conflict(f"job {number} is {job.state} and cannot be cancelled")
        reason = "the organisers cancelled it"
        job.state, job.reason, job.ended = "cancelled", reason, site.clock.now()
        _set_upload(session, job, "waiting", "failed", [f"{reason}; it costs no attempt"])
        _set_rejudging(session, job, "waiting", "failed")
        if job.kind == "join":
            _stop_joining(session, job)
        log(session, site, visitor, "job.cancel", edition, job=number, kind=job.kind)


def _job(session: Session, edition: str, number: int) -> QueuedJob:
    job = session.get(QueuedJob, number)
    if job is None or job.edition != edition:
        raise NotThere(f"this contest has no job {number}")
    return job


def _set_upload(
    session: Session, job: QueuedJob, before: str, after: str, faults: list[str]
) -> None:
    upload = job.arguments.get("upload")
    if upload is not None:
        change = update(Upload).where(Upload.id == upload, Upload.state == before)
        session.execute(change.values(state=after, faults=faults))


def _set_rejudging(session: Session, job: QueuedJob, before: str, after: str) -> None:
    if job.kind == "rejudge":
        number = job.arguments["rejudging"]
        change = update(Rejudging).where(Rejudging.id == number, Rejudging.state == before)
        session.execute(change.values(state=after))


def _stop_joining(session: Session, job: QueuedJob) -> None:
    """A team whose job is cancelled waits for the organisers again."""
    session.execute(
        update(RegisteredTeam)
        .where(
            RegisteredTeam.edition == job.edition,
            RegisteredTeam.id == job.team,
            RegisteredTeam.state == "joining",
        )
        .values(state="waiting")
    )
