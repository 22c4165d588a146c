"""Worker: claim the next job, do it, finish it; one thread for each lane.

What went wrong decides what happens next. A full disk or a database that is away will pass, so the
job waits for as long as it takes. A fault of the host is tried a few times. What the rules refuse
fails at once.
"""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from quintain.errors import QuintainError
from quintain.host.intake.intake import remove_leftovers
from quintain.host.programs.workers import FOR_ANOTHER, is_for_another
from quintain.host.queue import (
    JobClaim,
    LeaseWatch,
    RetryLater,
    Stale,
    beat,
    claim,
    fail,
    finish,
    leave,
    put_back,
    show_presence,
    try_again,
)
from quintain.host.site import Site
from quintain.host.work.handler import HandlerTask, every_handler

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
            self._survive(self.look_after_others)
            if self._stop.wait(min(1.0, self._site.settings.lease / 4)):
                threads[0].join(0.1)
                threads = [thread for thread in threads if thread.is_alive()]
        self._survive(lambda: leave(self._site.database, self.name))
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
        if is_for_another(self._site, claimed, self.name):
            put_back(self._site.database, claimed, FOR_ANOTHER, self._site.clock.now())
            return False
        do_job(self._site, claimed, self._stop)
        return True

    def _lane(self, lane: str) -> None:
        while not self._stop.is_set():
            if not self._survive(lambda: self.work_once(lane)):
                self._stop.wait(self._pause)

    def _survive(self, work: Callable[[], bool | None]) -> bool:
        """A database that restarts must not end the worker."""
        try:
            return bool(work())
        except Exception:
            LOG.exception("the worker goes on after an error")
            self._stop.wait(1.0)
            return True


_PASSING = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE),
    *(errno.EAGAIN, errno.EBUSY, errno.EINTR, errno.ENOMEM, errno.ESTALE, errno.EPIPE),
    *(errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.ETIMEDOUT),
}
"""Errors of the machine that go away when somebody mends it."""

Ending = Callable[[], None]


def do_job(site: Site, claim: JobClaim, stop: threading.Event) -> None:
    """Do a claimed job, and record its end; show signs of life until then.

    Parameters
    ----------
    stop : when it is set, a database that is away is not waited for any longer.
    """
    with _alive(site, claim):
        ending = _do(site, claim)
        while not _record(ending, claim):
            if stop.wait(1.0):
                return


def _do(site: Site, claim: JobClaim) -> Ending:
    """Call the handler; returns what is to be recorded."""
    database, now = site.database, site.clock.now
    try:
        result = every_handler()[claim.kind](HandlerTask(site, claim))
    except Stale as problem:
        lost = problem
        return lambda: _give_away(lost)
    except RetryLater as problem:
        reason = str(problem)
        return lambda: put_back(database, claim, reason, now())
    except Exception as problem:
        return _failure_ending(site, claim, problem)
    return lambda: finish(database, claim, result, now())


def _failure_ending(site: Site, claim: JobClaim, problem: Exception) -> Ending:
    database, now, facts = site.database, site.clock.now, {"job": claim.job, "kind": claim.kind}
    if will_pass(problem):
        LOG.error("a job waits until the machine is mended: %s", problem, extra=facts)
        reason = f"tried again, because of the machine: {_first_line(problem)}"
        wait = min(30.0, 2.0 * claim.attempt)
        return lambda: put_back(database, claim, reason, now(), seconds=wait)
    if isinstance(problem, QuintainError):
        LOG.warning("a job failed: %s", problem, extra=facts)
        reason = str(problem)
        return lambda: fail(database, claim, reason, now())
    LOG.error("a job met a fault of the host", extra=facts, exc_info=problem)
    reason = f"a fault of the host: {type(problem).__name__}: {_first_line(problem)}"
    return lambda: try_again(database, claim, reason, now(), seconds=2.0)


def _record(ending: Ending, claim: JobClaim) -> bool:
    """Record the end of a job; False if the database is away, and it is to be tried again."""
    try:
        ending()
    except Stale:
        LOG.warning("a job is in other hands; its result does not count", extra={"job": claim.job})
    except Exception as problem:
        if not will_pass(problem):
            raise
        LOG.error("the end of a job cannot be stored yet: %s", problem, extra={"job": claim.job})
        return False
    return True


def will_pass(problem: BaseException | None) -> bool:
    """Whether a job met a problem of the machine that goes away, such as a full disk."""
    while problem is not None:
        if isinstance(problem, OperationalError | InterfaceError | PoolTimeout):
            return True
        if isinstance(problem, OSError) and problem.errno in _PASSING:
            return True
        problem = problem.__cause__ or problem.__context__
    return False


def _give_away(lost: Stale) -> None:
    raise lost


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]


@contextmanager
def _alive(site: Site, claim: JobClaim) -> Iterator[None]:
    """Show signs of life while a job is done."""
    ended = threading.Event()

    def live() -> None:
        while not ended.wait(site.settings.lease / 3):
            try:
                beat(site.database, claim)
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
