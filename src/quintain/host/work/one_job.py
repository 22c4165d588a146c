"""One job: call its handler, and say in the queue how it ended.

What went wrong decides what happens next. A full disk or a database that is away will pass, so the
job waits for as long as it takes. A fault of the host is tried a few times. What the rules refuse
fails at once.
"""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from quintain.errors import QuintainError
from quintain.host.queue.claims import JobClaim, Stale, beat
from quintain.host.queue.endings import fail, finish, put_back, try_again
from quintain.host.queue.retry_later import RetryLater
from quintain.host.site import Site
from quintain.host.work.every_handler import every_handler
from quintain.host.work.handler import HandlerTask

LOG = logging.getLogger("quintain.host.worker")

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
        ending = _done(site, claim)
        while not _recorded(ending, claim):
            if stop.wait(1.0):
                return


def _done(site: Site, claim: JobClaim) -> Ending:
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
        return _failed(site, claim, problem)
    return lambda: finish(database, claim, result, now())


def _failed(site: Site, claim: JobClaim, problem: Exception) -> Ending:
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


def _recorded(ending: Ending, claim: JobClaim) -> bool:
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
