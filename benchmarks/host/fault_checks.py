"""What must be true of a site after its processes were killed again and again."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping

from sqlalchemy import func, select
from tests.host import contest_on_site as contest

from benchmarks.host.fault_stage import ANSWER
from quintain.errors import NotVerified
from quintain.journal.database_store import DatabaseStore
from quintain.journal.events import Submitted
from quintain.journal.receipt import Receipt
from quintain_host.database.work import QueuedJob, Upload
from quintain_host.site import Site

OPEN = ("waiting", "running")


class Stalls:
    """Watches the queue from outside: how long a job was in the hands of a dead worker."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.longest = 0.0

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        seen: dict[tuple[int, int], float] = {}
        running = select(QueuedJob.id, QueuedJob.beat).where(QueuedJob.state == "running")
        while not self._stop.wait(0.25):
            with self._site.database.reading() as session:
                now = {(row.id, row.beat) for row in session.execute(running)}
            moment = time.monotonic()
            seen = {one: seen.get(one, moment) for one in now}
            self.longest = max([self.longest, *(moment - since for since in seen.values())])


def settle(site: Site, patience: float = 60.0) -> float:
    """Wait until no job waits or runs; returns how many seconds that took.

    Infinite if nothing gets done for as long as ``patience``: a slow machine is no stuck one.
    """
    began = last = time.monotonic()
    least: int | None = None
    waiting = select(func.count()).select_from(QueuedJob).where(QueuedJob.state.in_(OPEN))
    while time.monotonic() - last < patience:
        with site.database.reading() as session:
            left = session.scalar(waiting) or 0
        if not left:
            return time.monotonic() - began
        if least is None or left < least:
            least, last = left, time.monotonic()
        time.sleep(0.1)
    return float("inf")


def problems_of(site: Site, acknowledged: Mapping[int, bytes]) -> list[str]:
    """Everything that is not as it should be."""
    return [
        *_lost(site, acknowledged),
        *_recorded_wrongly(site),
        *_stuck(site),
    ]


def summary(site: Site) -> dict[str, object]:
    """Facts about uploads and jobs."""
    jobs = contest.jobs(site)
    with site.database.reading() as session:
        states = Counter(session.scalars(select(Upload.state)))
    return {
        "uploads in all": sum(states.values()),
        **{f"uploads {state}": number for state, number in sorted(states.items())},
        "jobs": len(jobs),
        "jobs with more than one attempt": sum(job.attempt > 1 for job in jobs),
        "most attempts of a job": max(job.attempt for job in jobs),
        "jobs failed, with a reason": sum(job.state == "failed" for job in jobs),
    }


def _lost(site: Site, acknowledged: Mapping[int, bytes]) -> Iterator[str]:
    for number, content in acknowledged.items():
        with site.database.reading() as session:
            upload = session.get(Upload, number)
        if upload is None:
            yield f"upload {number} was acknowledged and is lost"
        elif list(upload.files.values()) != [hashlib.sha256(content).hexdigest()]:
            yield f"upload {number} has other content than was sent"
        elif site.uploads.read(upload.files[ANSWER]) != content:
            yield f"the content of upload {number} is damaged"


def _recorded_wrongly(site: Site) -> Iterator[str]:
    folder = site.folder("faults")
    events = {event.number: event for event in folder.journal().submissions()}
    with site.database.reading() as session:
        uploads = list(session.scalars(select(Upload)))
    recorded = Counter(upload.event for upload in uploads if upload.state == "accepted")
    if recorded != Counter(list(events)):
        yield f"uploads and events differ: {sorted((recorded - Counter(list(events))).elements())}"
    rows = list(DatabaseStore(site.database.engine, "faults").lines())
    if rows != folder.journal().lines():
        yield "the journal of the folder is not that of the database"
    key = folder.state().key
    for upload in uploads:
        yield from _wrong_upload(upload, events, key)


def _wrong_upload(upload: Upload, events: Mapping[int, Submitted], key: str) -> Iterator[str]:
    if upload.state == "failed":
        if not upload.faults:
            yield f"upload {upload.id} failed without a reason"
        return
    event = events.get(upload.event or 0)
    if upload.state != "accepted" or event is None:
        yield f"upload {upload.id} is {upload.state}, event {upload.event}"
    elif (event.team, dict(event.files)) != (upload.team, upload.files):
        yield f"event {event.number} is not about upload {upload.id}"
    elif upload.receipt is None:
        yield f"upload {upload.id} has no receipt"
    else:
        try:
            Receipt.from_bytes(upload.receipt.encode()).check(key)
        except NotVerified as problem:
            yield f"the receipt of upload {upload.id} is not valid: {problem}"


def _stuck(site: Site) -> Iterator[str]:
    for job in contest.jobs(site):
        if job.state in OPEN:
            yield f"job {job.id} ({job.kind}) is {job.state}: {job.reason}"
        elif job.state == "failed" and not job.reason:
            yield f"job {job.id} ({job.kind}) failed without a reason"


def problems_of_the_end(site: Site) -> Iterator[str]:
    """End the contest, and verify it with the command that everybody has."""
    contest.request(site, "faults", "scoring", "freeze", arguments={"reason": "the load is over"})
    contest.request(site, "faults", "scoring", "reveal")
    contest.drain(site)
    command = [sys.executable, "-m", "quintain", "verify", str(site.edition_root("faults"))]
    verified = subprocess.run(command, capture_output=True, text=True)
    if verified.returncode:
        yield f"quintain verify: {verified.stdout[-500:]} {verified.stderr[-500:]}"
