"""Remote jobs: what a program worker on another machine may ask for, over HTTP.

It gets the number of one job that it claimed, and the sealed input of this job. It learns nothing
about contests, teams or other jobs. All that it can change is its own attempt at this one job.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.orm import Session

from quintain.host.database.work import QueuedJob
from quintain.host.programs.call_files import CallFiles
from quintain.host.queue.claims import QUEUE, JobClaim, Stale, claim, require_held
from quintain.host.queue.workers import show_presence
from quintain.host.site import Site

LANE = "program"


def announce(site: Site, worker: str, *, able: bool, why: str = "") -> None:
    """Say that a worker is here, and whether it can contain programs."""
    now = site.clock.now()
    show_presence(site.database, worker, [LANE], now, able=able, why=why[:500])


def claim_call(site: Site, worker: str) -> JobClaim | None:
    """Take the next call of a program; None if there is none."""
    return claim(site.database, worker, [LANE], site.clock.now())


def show_life(site: Site, worker: str, job: int, attempt: int) -> None:
    """A sign of life for a job; raises ``Stale`` if it is in other hands."""
    with site.database.writing(QUEUE) as session:
        require_held(session, _own(session, worker, job, attempt))


def input_path(site: Site, worker: str, job: int, attempt: int) -> Path:
    """Where the sealed input of a claimed job is."""
    with site.database.reading() as session:
        own = _own(session, worker, job, attempt)
    return CallFiles(site.root).input(str(own.arguments["call"]))


def take_result(site: Site, worker: str, job: int, attempt: int, sealed: bytes) -> None:
    """Store the sealed result of a job, and finish the job; a late result is refused."""
    with site.database.reading() as session:
        own = _own(session, worker, job, attempt)
    CallFiles(site.root).keep_result(str(own.arguments["call"]), attempt, sealed)
    with site.database.writing(QUEUE) as session:
        ended, result = site.clock.now(), {"attempt": attempt}
        require_held(session, own, state="done", result=result, reason="", ended=ended)


def _own(session: Session, worker: str, number: int, attempt: int) -> JobClaim:
    """The claim of a worker; the same answer for a job of others and for none."""
    job = session.get(QueuedJob, number)
    if job is None or (job.worker, job.lane, job.attempt) != (worker, LANE, attempt):
        raise Stale(f"job {number} is not in your hands")
    if job.state != "running":
        raise Stale(f"job {number} is not in your hands")
    return JobClaim.of(job)
