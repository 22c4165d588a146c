"""Workers: those that were seen lately, so that organisers see why something waits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, select

from quintain.host.database.database import Database
from quintain.host.database.work import WorkerRow
from quintain.host.queue.claims import QUEUE

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
