"""Worker: claim the next job, do it, finish it; one thread for each lane."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

from quintain.host.intake.leftovers import remove_leftovers
from quintain.host.queue.claims import claim
from quintain.host.queue.leases import LeaseWatch
from quintain.host.queue.workers import leave, show_presence
from quintain.host.site import Site
from quintain.host.work.every_handler import every_handler
from quintain.host.work.one_job import do_job

LOG = logging.getLogger("quintain.host.worker")

_PRESENCE = 5.0
"""How many seconds pass between two times that a worker says that it is here."""

_TIDY = 3600.0
"""How many seconds pass between two times that the intake worker removes leftovers."""


class Worker:
    """Does the jobs of some lanes.

    Parameters
    ----------
    name : shown to organisers; two workers must not have the same.
    pause : how many seconds to wait when there is nothing to do.
    able, why : whether it may run programs of strangers, and why not.
    """

    def __init__(
        self,
        site: Site,
        name: str,
        lanes: Sequence[str] = ("intake", "scoring"),
        pause: float = 0.2,
        *,
        able: bool = False,
        why: str = "",
    ) -> None:
        self._site = site
        self.name = name
        self.lanes = tuple(lanes)
        self._able, self._why = able, why
        self._pause = pause
        self._stop = threading.Event()
        self._watch = LeaseWatch(site.database, site.settings.lease)
        self._shown = self._tidied = float("-inf")

    def run(self) -> None:
        """Work until :meth:`stop` is called."""
        every_handler()  # what takes long to import is ready before the first job
        LOG.info("the worker begins", extra={"worker": self.name, "lanes": ",".join(self.lanes)})
        threads = [threading.Thread(target=self._lane, args=(lane,)) for lane in self.lanes]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            # While the last jobs are finished, the others' jobs are watched, too.
            self._guarded(self.look_after_others)
            if self._stop.wait(min(1.0, self._site.settings.lease / 4)):
                threads[0].join(0.1)
                threads = [thread for thread in threads if thread.is_alive()]
        self._guarded(lambda: leave(self._site.database, self.name))
        LOG.info("the worker ends", extra={"worker": self.name})

    def stop(self) -> None:
        """Finish the jobs in hand, then end."""
        self._stop.set()

    def look_after_others(self) -> None:
        """Say that this worker is here, and free the jobs of workers that have stopped."""
        now = self._site.clock.now()
        if time.monotonic() - self._shown > _PRESENCE:
            show_presence(
                self._site.database, self.name, self.lanes, now, able=self._able, why=self._why
            )
            self._shown = time.monotonic()
        if "intake" in self.lanes and time.monotonic() - self._tidied > _TIDY:
            self._tidied = time.monotonic()
            remove_leftovers(self._site)
        for job in self._watch.free(now):
            LOG.warning("a job was freed: its worker shows no sign of life", extra={"job": job})

    def work_once(self, lane: str) -> bool:
        """Do one job of a lane; False if there is nothing to do."""
        claimed = claim(self._site.database, self.name, [lane], self._site.clock.now())
        if claimed is None:
            return False
        do_job(self._site, claimed, self._stop)
        return True

    def _lane(self, lane: str) -> None:
        while not self._stop.is_set():
            if not self._guarded(lambda: self.work_once(lane)):
                self._stop.wait(self._pause)

    def _guarded(self, work: Callable[[], bool | None]) -> bool:
        """A database that restarts must not end the worker."""
        try:
            return bool(work())
        except Exception:
            LOG.exception("the worker goes on after an error")
            self._stop.wait(1.0)
            return True
