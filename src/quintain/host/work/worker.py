"""Worker: claim the next job, do it, finish it; one thread for each lane."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from quintain.errors import QuintainError
from quintain.host.queue.claims import Claim, Stale, beat, claim, fail, finish, put_back
from quintain.host.queue.leases import Watch
from quintain.host.site import Site
from quintain.host.work.every_handler import every_handler
from quintain.host.work.handler import NotYet, Task

LOG = logging.getLogger("quintain.host.worker")


class Worker:
    """Does the jobs of some lanes.

    Parameters
    ----------
    name : shown to organisers; two workers must not have the same.
    pause : how many seconds to wait when there is nothing to do.
    """

    def __init__(
        self, site: Site, name: str, lanes: Sequence[str] = ("clerk", "bench"), pause: float = 0.2
    ) -> None:
        self._site = site
        self.name = name
        self.lanes = tuple(lanes)
        self._pause = pause
        self._stop = threading.Event()
        self._watch = Watch(site.database, site.settings.lease)

    def run(self) -> None:
        """Work until :meth:`stop` is called."""
        threads = [threading.Thread(target=self._lane, args=(lane,)) for lane in self.lanes]
        for thread in threads:
            thread.start()
        while not self._stop.wait(min(1.0, self._site.settings.lease / 3)):
            self._guarded(self.free)
        for thread in threads:
            thread.join()

    def stop(self) -> None:
        """Finish the jobs in hand, then end."""
        self._stop.set()

    def free(self) -> None:
        """Free the jobs of workers that have stopped."""
        for job in self._watch.free(self._site.clock.now()):
            LOG.warning("job %d was freed: its worker shows no sign of life", job)

    def work_once(self, lane: str) -> bool:
        """Do one job of a lane; False if there is nothing to do."""
        claimed = claim(self._site.database, self.name, [lane], self._site.clock.now())
        if claimed is None:
            return False
        self._do(claimed)
        return True

    def _lane(self, lane: str) -> None:
        while not self._stop.is_set():
            if not self._guarded(self.work_once, lane):
                self._stop.wait(self._pause)

    def _guarded(self, work: object, *args: object) -> bool:
        """A database that restarts, or a full disk, must not end the worker."""
        try:
            return bool(work(*args))  # type: ignore[operator]
        except Exception:
            LOG.exception("the worker goes on after an error")
            self._stop.wait(1.0)
            return True

    def _do(self, claimed: Claim) -> None:
        database, clock = self._site.database, self._site.clock
        with self._alive(claimed):
            try:
                result = every_handler()[claimed.kind](Task(self._site, claimed))
                finish(database, claimed, result, clock.now())
            except Stale:
                LOG.warning("job %d is in other hands; the result does not count", claimed.job)
            except NotYet as reason:
                put_back(database, claimed, str(reason), clock.now())
            except QuintainError as problem:
                LOG.warning("job %d failed: %s", claimed.job, problem)
                fail(database, claimed, str(problem), clock.now())
            except (OSError, MemoryError) as problem:
                LOG.exception("job %d is tried again", claimed.job)
                put_back(database, claimed, f"tried again: {problem}", clock.now(), seconds=5)

    @contextmanager
    def _alive(self, claimed: Claim) -> Iterator[None]:
        """Show signs of life while a job is done."""
        ended = threading.Event()

        def live() -> None:
            while not ended.wait(self._site.settings.lease / 3):
                try:
                    beat(self._site.database, claimed)
                except Stale:
                    return
                except Exception:
                    LOG.exception("no sign of life could be shown; it is tried again")

        thread = threading.Thread(target=live, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
