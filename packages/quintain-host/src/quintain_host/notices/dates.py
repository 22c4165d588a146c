"""Dates: tell teams when a phase opens, when it closes soon, and when an upload has failed.

Nobody does anything at these moments, so the intake worker looks for them every few seconds. What
was said stays in the table of notices, so it is said once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.journal.state import State
from quintain_host.database.contests import HostedEdition
from quintain_host.database.notices import Notice
from quintain_host.database.work import Upload
from quintain_host.editions.shown import contest_state, round_name, shown_rules
from quintain_host.notices.inbox import everybody, members, notify
from quintain_host.notices.words import (
    Message,
    Wording,
    phase_closes_soon,
    phase_opens,
    upload_failed,
)
from quintain_host.site import Site
from quintain_host.views.contest import PhaseView, timeline

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
        for moment in _moments(site, edition):
            _notify_once(site, edition, moment)
    _notify_of_failures(site)


@dataclass(frozen=True, slots=True)
class _Moment:
    """Something that has come and is told once.

    Parameters
    ----------
    cause : what is stored with the notices, so that they are not written again.
    team : the team that is told; empty tells all of them.
    but : the teams that are not told, because they have another date.
    """

    cause: str
    message: Wording
    team: str = ""
    but: frozenset[str] = frozenset()

    def people(self, session: Session, edition: str) -> list[int]:
        """Those who are told."""
        if self.team:
            return members(session, edition, self.team)
        others = {person for team in self.but for person in members(session, edition, team)}
        return [person for person in everybody(session, edition) if person not in others]


def _moments(site: Site, edition: str) -> Iterator[_Moment]:
    now = site.clock.now()
    try:
        rules, state = shown_rules(site, edition), contest_state(site, edition)
        phases = timeline(rules, state, now)
        own = {team: timeline(state.rules_for(rules, team), state, now) for team in _apart(state)}
    except QuintainError:  # a damaged folder must not stop the others; serve --check names it
        return
    for phase in phases:
        later = frozenset(team for team in own if _has_deadline(state, team, phase))
        yield from _of_opening(phase, now)
        yield from _of_end(phase, now, but=later)
    for team, its_phases in own.items():
        for phase in its_phases:
            if _has_deadline(state, team, phase):
                yield from _of_end(phase, now, team)


def _apart(state: State) -> list[str]:
    """The teams with deadlines of their own."""
    return sorted({team for team, _, _ in state.deadlines})


def _has_deadline(state: State, team: str, phase: PhaseView) -> bool:
    return (team, phase.track, phase.id) in state.deadlines


def _of_opening(phase: PhaseView, now: datetime) -> Iterator[_Moment]:
    if phase.state == "open" and phase.opens is not None and now - phase.opens < _LATE:
        yield _Moment(f"opens {phase.track}/{phase.id}", partial(_opens, phase))


def _of_end(
    phase: PhaseView, now: datetime, team: str = "", but: frozenset[str] = frozenset()
) -> Iterator[_Moment]:
    """The reminder of the end of a long phase, for one team or for all others."""
    if phase.state != "open" or phase.closes is None or phase.closes - now > SOON:
        return
    if phase.opens is None or phase.closes - phase.opens >= 2 * SOON:
        soon = partial(_closes_soon, phase, phase.closes)
        about = f"closes {phase.track}/{phase.id} {phase.closes.isoformat()}"
        yield _Moment(f"{about} {team}".rstrip(), soon, team, but)


def _opens(phase: PhaseView) -> Message:
    return phase_opens(phase.track_title, phase.id, phase.task, phase.closes)


def _closes_soon(phase: PhaseView, closes: datetime) -> Message:
    return phase_closes_soon(phase.track_title, phase.id, phase.task, closes)


def _notify_once(site: Site, edition: str, moment: _Moment) -> None:
    with site.database.reading() as session:  # most of the time it is said already
        if _is_said(session, edition, moment.cause) or not moment.people(session, edition):
            return
    with site.database.writing(edition) as session:
        if not _is_said(session, edition, moment.cause):
            people = moment.people(session, edition)
            notify(session, site, edition, people, moment.message, cause=moment.cause)


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
        where = round_name(site, upload.edition, upload.track)
        message = partial(upload_failed, where, upload.phase, upload.id)
        with site.database.writing(upload.edition) as session:
            if not _is_said(session, upload.edition, cause):
                people = members(session, upload.edition, upload.team)
                notify(session, site, upload.edition, people, message, cause=cause)
