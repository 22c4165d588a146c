"""Able workers: whether a site has a machine that can run programs."""

from __future__ import annotations

from datetime import timedelta

from quintain.host.queue.workers import present
from quintain.host.refusals import Conflict
from quintain.host.site import Site

_PATIENCE = timedelta(hours=1)
"""A machine that is started again within this time refuses nobody's program."""


class NoProgramWorker(Conflict):
    """No machine of the site can run programs now."""


def require_program_worker(site: Site) -> None:
    """Refuse programs while no worker can run them."""
    workers = present(site.database, site.clock.now(), _PATIENCE)
    if not any(worker.able and "program" in worker.lanes for worker in workers):
        raise NoProgramWorker(
            "this site cannot run programs now: no machine that can contain them is connected. Ask "
            "the organisers, and submit again later"
        )
