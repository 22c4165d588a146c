"""Worker: claim the next job, do it, finish it; one thread for each lane.

What went wrong decides what happens next. A full disk or a database that is away will pass, so the
job waits for as long as it takes. A fault of the host is tried a few times. What the rules refuse
fails at once. A job beyond the time limit of its lane is given up. Nobody can stop a thread that
hangs, so the worker finishes the jobs of its other lanes and ends; the server, or systemd, starts
it again. So it does where the tables were upgraded meanwhile: the program of a newer version has to
take the next job.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from quintain.errors import QuintainError
from quintain_host.database.upgrade import OutOfDate
from quintain_host.editions.closings import enqueue_closings
from quintain_host.intake.intake import remove_leftovers
from quintain_host.notices.dates import notify_of_dates
from quintain_host.notices.outbox import CHANNELS, Channel, deliver_next, forget_letters
from quintain_host.passing_faults import will_pass
from quintain_host.programs.workers import FOR_ANOTHER, LANE, is_for_another
from quintain_host.queue import (
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
    require_held,
    show_presence,
    try_again,
)
from quintain_host.site import Site
from quintain_host.work.handler import HandlerTask, every_handler

LOG = logging.getLogger("quintain_host.worker")

_PRESENCE = 5.0
"""How many seconds pass between two times that a worker says that it is here."""

_CLOSINGS = 10.0
"""How many seconds pass between two times that the intake worker looks for closed phases."""

_LETTERS = 1.0
"""How many seconds pass between two looks for letters that are due."""

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
        self._sites = {lane: site.for_lane(lane) for lane in self.lanes}
        self._able, self._why = able, why
        self._pause = pause
        self._stop = threading.Event()
        self._overdue = threading.Event()
        self._outdated: OutOfDate | None = None
        self._watch = LeaseWatch(site.database, site.settings.lease)
        self._shown = self._tidied = self._looked = float("-inf")

    def run(self) -> None:
        """Work until :meth:`stop` is called.

        Raises ``Overdue`` after a job that hangs, and ``OutOfDate`` after an upgrade of the tables.
        """
        with self._alone():
            self._run()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other workers out of the working copies, where there are any."""
        with ExitStack() as locks:
            for site in self._sites.values():
                if site.working_copy is not None:
                    locks.enter_context(site.working_copy.alone())
            yield

    def _run(self) -> None:
        every_handler()  # what takes long to import is ready before the first job
        LOG.info("the worker begins", extra={"worker": self.name, "lanes": ",".join(self.lanes)})
        threads = [
            *(threading.Thread(target=self._lane, args=(lane,)) for lane in self.lanes),
            *(threading.Thread(target=self._post, args=(way,)) for way in self._channels()),
        ]
        for thread in threads:
            thread.daemon = True
            thread.start()
        while any(thread.is_alive() for thread in threads):
            # While the last jobs are finished, the others' jobs are watched, too.
            self._survive(self.look_after_others)
            if self._stop.wait(min(1.0, self._site.settings.lease / 4)):
                threads[0].join(0.1)
                threads = [thread for thread in threads if thread.is_alive()]
                if self._overdue.is_set() and len(threads) == 1:
                    break  # this one hangs
        self._survive(lambda: leave(self._site.database, self.name))
        LOG.info("the worker ends", extra={"worker": self.name})
        if self._overdue.is_set():
            raise Overdue("the worker ends because a job hangs; start it again")
        if self._outdated is not None:
            raise self._outdated

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
            forget_letters(self._site)
        if "intake" in self.lanes and time.monotonic() - self._looked > _CLOSINGS:
            self._looked = time.monotonic()
            enqueue_closings(self._site)
            notify_of_dates(self._site)
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
        do_job(self._sites[lane], claimed, self._stop, self._give_up)
        return True

    def _give_up(self) -> None:
        self._overdue.set()
        self._stop.set()

    def _lane(self, lane: str) -> None:
        while not self._stop.is_set():
            if not self._survive(lambda: self.work_once(lane)):
                self._stop.wait(self._pause)

    def _channels(self) -> list[Channel]:
        """The ways in which this worker sends letters: who does the intake sends them."""
        settings, intake = self._site.settings, "intake" in self.lanes
        offered = {"mail": settings.mail is not None, "webhook": settings.webhooks}
        return [channel for channel in CHANNELS if intake and offered[channel]]

    def _post(self, channel: Channel) -> None:
        while not self._stop.is_set():
            if not self._survive(lambda: deliver_next(self._site, channel)):
                self._stop.wait(_LETTERS)

    def _survive(self, work: Callable[[], bool | None]) -> bool:
        """A database that restarts must not end the worker."""
        try:
            return bool(work())
        except OutOfDate as problem:
            self._outdated = problem
            self._stop.set()
            return False
        except Exception:
            LOG.exception("the worker goes on after an error")
            self._stop.wait(1.0)
            return True


Ending = Callable[[], None]


class Overdue(QuintainError):
    """A job took longer than the time limit of its lane."""

    status = 503


def time_limit(site: Site, lane: str) -> float:
    """How many seconds a job of a lane may take."""
    settings = site.settings
    return settings.intake_minutes * 60 if lane == "intake" else settings.scoring_hours * 3600


def do_job(site: Site, claim: JobClaim, stop: threading.Event, give_up: Callable[[], None]) -> None:
    """Do a claimed job, and record its end; show signs of life until then.

    Parameters
    ----------
    stop : when it is set, a database that is away is not waited for any longer.
    give_up : called once the job is beyond its time limit, and was recorded as failed.
    """
    with _alive(site, claim, give_up):
        ending = _do(site, claim)
        while not _record(ending, claim):
            if stop.wait(1.0):
                return


def _do(site: Site, claim: JobClaim) -> Ending:
    """Call the handler; returns what is to be recorded."""
    database, now = site.database, site.clock.now
    try:
        with _newest_files(site, claim):
            result = every_handler()[claim.kind](HandlerTask(site, claim))
    except Stale as problem:
        lost = problem
        return lambda: _give_away(lost)
    except RetryLater as problem:
        reason, seconds = str(problem), problem.seconds
        return lambda: put_back(database, claim, reason, now(), seconds=seconds)
    except Exception as problem:
        return _failure_ending(site, claim, problem)
    return lambda: finish(database, claim, result, now())


@contextmanager
def _newest_files(site: Site, claim: JobClaim) -> Iterator[None]:
    """Begin with the files as all machines know them, and share those that the job made."""
    shared = site.working_copy
    if shared is None or claim.lane == LANE:  # a call of a program needs no file of a contest
        yield
        return
    shared.reset(claim.edition)
    yield
    shared.push(claim.edition, lambda session: require_held(session, claim))


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


def _give_away(lost: Stale) -> None:
    raise lost


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]


@contextmanager
def _alive(site: Site, claim: JobClaim, give_up: Callable[[], None]) -> Iterator[None]:
    """Show signs of life while a job is done, until it is beyond its time limit."""
    ended, limit = threading.Event(), time_limit(site, claim.lane)
    end = time.monotonic() + limit

    def live() -> None:
        while not ended.wait(max(0.0, min(site.settings.lease / 3, end - time.monotonic()))):
            try:
                if time.monotonic() < end:
                    beat(site.database, claim)
                    continue
                LOG.error("a job is given up: it hangs", extra={"job": claim.job})
                reason = f"given up after {limit:g} s, the time limit of the {claim.lane} lane"
                fail(site.database, claim, reason, site.clock.now())
                give_up()
                return
            except Stale:
                return
            except Exception:
                LOG.exception("no sign of life could be shown; it is tried again")
                ended.wait(min(1.0, site.settings.lease / 3))

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
