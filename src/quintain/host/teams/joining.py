"""Joining: registered teams take part as soon as the contest is prepared."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.database.contests import RegisteredTeam
from quintain.host.database.work import QueuedJob
from quintain.host.editions.shown_rules import contest_state
from quintain.host.queue.jobs import UNFINISHED, enqueue
from quintain.host.site import Site


def enqueue_joins(session: Session, site: Site, edition: str) -> int:
    """Let a worker join every team that is "joining" and has no job for it; returns how many.

    Before the contest is prepared there is nothing to draw from. The teams wait, and this is
    called again after ``prepare``.
    """
    if not contest_state(site, edition).prepared:
        return 0
    joining = select(RegisteredTeam.id).where(
        RegisteredTeam.edition == edition, RegisteredTeam.state == "joining"
    )
    queued = select(QueuedJob.team).where(
        QueuedJob.edition == edition,
        QueuedJob.kind == "join",
        QueuedJob.state.in_(UNFINISHED),
    )
    teams = sorted(set(session.scalars(joining)) - set(session.scalars(queued)))
    for team in teams:
        enqueue(session, edition, "intake", "join", now=site.clock.now(), team=team)
    return len(teams)
