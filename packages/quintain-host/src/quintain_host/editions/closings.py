"""Closings on a site: which phases have closed without a checkpoint, and what is signed with one.

Every checkpoint of a closed phase names the head of the audit log. Teams keep these checkpoints, so
nobody can cut lines off the end of the log unseen.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from sqlalchemy import select

from quintain.errors import QuintainError
from quintain.runs.folder.closings import Closing, occasions
from quintain_host.audit_log import Head, head_of_log
from quintain_host.database.contests import HostedEdition
from quintain_host.database.work import QueuedJob
from quintain_host.editions.shown import contest_state, shown_rules
from quintain_host.queue import UNFINISHED, enqueue
from quintain_host.site import Site

CLOSE = "close"
"""The kind of the job that signs what has closed."""

GRACE = timedelta(seconds=30)
"""How long a worker waits after something has closed: an upload that came in time may still be on
its way to the database, and clocks of machines differ. No event is dated before the closing later.
"""

_AGAIN = timedelta(hours=1)
"""After how long a job that failed is tried once more, whether or not somebody has mended it."""

_LOG = "audit-log"


def log_line(site: Site) -> str:
    """The line about the audit log that is signed with a checkpoint."""
    head = head_of_log(site)
    return f"{_LOG} {head.lines} {head.hash}"


def head_in(closing: Closing) -> Head | None:
    """The head of the audit log that a checkpoint names."""
    for line in closing.checkpoint.extension:
        match line.split(" "):
            case [word, lines, digest] if word == _LOG and lines.isdecimal():
                return Head(int(lines), digest)
    return None


def enqueue_closings(site: Site) -> list[str]:
    """Ask a worker for the checkpoints of phases that have closed; returns the editions."""
    due = list(_due(site))
    for edition in due:
        with site.database.writing(edition) as session:
            enqueue(session, edition, "intake", CLOSE, now=site.clock.now())
    return due


def _due(site: Site) -> Iterator[str]:
    live = select(HostedEdition.id).where(HostedEdition.state == "live").order_by(HostedEdition.id)
    with site.database.reading() as session:
        editions = list(session.scalars(live))
    for edition in editions:
        if _lacks_closings(site, edition) and not _is_tried(site, edition):
            yield edition


def _lacks_closings(site: Site, edition: str) -> bool:
    try:
        known = {closing.occasion for closing in site.folder(edition).closings()}
        moment = site.clock.now() - GRACE
        every = occasions(shown_rules(site, edition), contest_state(site, edition), moment)
        return any(occasion not in known for occasion in every)
    except QuintainError:  # a damaged folder must not stop the others; serve --check names it
        return False


def _is_tried(site: Site, edition: str) -> bool:
    """Whether a worker is on it, or failed lately."""
    jobs = select(QueuedJob).where(QueuedJob.edition == edition, QueuedJob.kind == CLOSE)
    with site.database.reading() as session:
        last = session.scalars(jobs.order_by(QueuedJob.id.desc()).limit(1)).first()
    if last is None:
        return False
    ended = last.ended
    lately = ended is not None and site.clock.now() - ended < _AGAIN
    return last.state in UNFINISHED or (last.state in ("failed", "cancelled") and lately)
