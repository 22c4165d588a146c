"""Dates: tell teams when a phase opens, when it closes soon, and when an upload has failed.

Nobody does anything at these moments, so the intake worker looks for them every few seconds. What
was said stays in the table of notices, so it is said once.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.host.database.contests import HostedEdition
from quintain.host.database.notices import Notice
from quintain.host.database.work import Upload
from quintain.host.editions.shown import contest_state, shown_rules
from quintain.host.notices.inbox import everybody, members, notify
from quintain.host.notices.words import (
    Message,
    Wording,
    phase_closes_soon,
    phase_opens,
    upload_failed,
)
from quintain.host.site import Site
from quintain.host.views.contest import PhaseView, timeline

SOON = timedelta(days=1)
"""How long before the end of a phase teams are reminded."""

_LATE = timedelta(days=7)
"""What happened longer ago is not said any more, such as by a site that comes back."""


def notify_of_dates(site: Site) -> None:
    """Write the notices of every moment that has come, and of uploads that failed."""
    live = select(HostedEdition.id).where(HostedEdition.state == "live").order_by(HostedEdition.id)
    with site.database.reading() as session:
        editions = list(session.scalars(live))
    for edition in editions:
        for cause, message in _messages(site, edition):
            _notify_once(site, edition, cause, message)
    _notify_of_failures(site)


def _messages(site: Site, edition: str) -> Iterator[tuple[str, Wording]]:
    now = site.clock.now()
    try:
        phases = timeline(shown_rules(site, edition), contest_state(site, edition), now)
    except QuintainError:  # a damaged folder must not stop the others; serve --check names it
        return
    for phase in phases:
        if phase.state == "open":
            yield from _of_phase(phase, now)


def _of_phase(phase: PhaseView, now: datetime) -> Iterator[tuple[str, Wording]]:
    name = f"{phase.track}/{phase.id}"
    if phase.opens is not None and now - phase.opens < _LATE:
        yield f"opens {name}", partial(_opens, phase)
    if phase.closes is None or phase.closes - now > SOON:
        return
    if phase.opens is None or phase.closes - phase.opens >= 2 * SOON:
        soon = partial(_closes_soon, phase, phase.closes)
        yield f"closes {name} {phase.closes.isoformat()}", soon


def _opens(phase: PhaseView) -> Message:
    return phase_opens(phase.track, phase.id, phase.task, phase.closes)


def _closes_soon(phase: PhaseView, closes: datetime) -> Message:
    return phase_closes_soon(phase.track, phase.id, phase.task, closes)


def _notify_once(site: Site, edition: str, cause: str, message: Wording) -> None:
    with site.database.reading() as session:  # most of the time it is said already
        if _is_said(session, edition, cause) or not everybody(session, edition):
            return
    with site.database.writing(edition) as session:
        if not _is_said(session, edition, cause):
            people = everybody(session, edition)
            notify(session, site, edition, people, message, cause=cause)


def _is_said(session: Session, edition: str, cause: str) -> bool:
    earlier = select(Notice.id).where(Notice.edition == edition, Notice.cause == cause)
    return session.scalars(earlier.limit(1)).first() is not None


def _notify_of_failures(site: Site) -> None:
    late = site.clock.now() - SOON
    with site.database.reading() as session:
        failed = select(Upload).where(Upload.state == "failed", Upload.arrived > late)
        uploads = session.scalars(failed.order_by(Upload.id)).all()
    for upload in uploads:
        cause = f"upload {upload.id}"
        message = partial(upload_failed, upload.track, upload.phase, upload.id)
        with site.database.writing(upload.edition) as session:
            if not _is_said(session, upload.edition, cause):
                people = members(session, upload.edition, upload.team)
                notify(session, site, upload.edition, people, message, cause=cause)
