"""Able workers: whether a site has a machine that can run programs."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from quintain.host.database.work import Worker
from quintain.host.refusals import Conflict
from quintain.host.site import Site

LATELY = timedelta(hours=1)
"""A machine that is started again within this time refuses nobody's program."""


class NoProgramWorker(Conflict):
    """No machine of the site can run programs now."""


def require_program_worker(site: Site) -> None:
    """Refuse programs while no worker can run them."""
    since = site.clock.now() - LATELY
    seen = select(Worker).where(Worker.able, Worker.seen >= since)
    with site.database.reading() as session:
        workers = session.scalars(seen).all()
    if not any("program" in worker.lanes for worker in workers):
        raise NoProgramWorker(
            "this site cannot run programs now: no machine that can contain them is connected. Ask "
            "the organisers, and submit again later"
        )
