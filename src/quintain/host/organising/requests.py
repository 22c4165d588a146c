"""Requests of organisers: a job in the queue and a line in the audit log, in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.access import Visitor
from quintain.host.audit_log import log
from quintain.host.database.work import QueuedJob
from quintain.host.queue.jobs import UNFINISHED, Lane, enqueue
from quintain.host.refusals import Conflict
from quintain.host.site import Site


def request(
    site: Site,
    visitor: Visitor,
    edition: str,
    lane: Lane,
    kind: str,
    *,
    team: str | None = None,
    arguments: dict[str, Any] | None = None,
    once: bool = False,
    before: Callable[[Session], None] | None = None,
) -> int:
    """Ask the workers to do something; returns the number of the job.

    Parameters
    ----------
    once : refuse if a job of this kind is not over yet.
    before : checks and changes rows in the same transaction; if it raises, nothing is asked for.
    """
    account = visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        if once:
            _require_none(session, edition, kind)
        if before is not None:
            before(session)
        job = enqueue(
            session,
            edition,
            lane,
            kind,
            now=site.clock.now(),
            team=team,
            account=account,
            arguments=arguments,
        )
        details = {name: value for name, value in (arguments or {}).items() if name != "toml"}
        log(session, site, visitor, f"request.{kind}", edition, job=job.id, team=team, **details)
        return job.id


def _require_none(session: Session, edition: str, kind: str) -> None:
    same = select(QueuedJob.id).where(
        QueuedJob.edition == edition, QueuedJob.kind == kind, QueuedJob.state.in_(UNFINISHED)
    )
    if session.scalars(same).first() is not None:
        raise Conflict(f"the workers do this already ({kind}); wait until it is done")


def newest_job(site: Site, edition: str, kind: str) -> QueuedJob | None:
    """The job of a kind that was asked for last; None if there is none."""
    with site.database.reading() as session:
        same = select(QueuedJob).where(QueuedJob.edition == edition, QueuedJob.kind == kind)
        return session.scalars(same.order_by(QueuedJob.id.desc()).limit(1)).first()
