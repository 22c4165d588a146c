"""Dashboard: how a contest goes, for its organisers: teams, submissions, queue and faults.

The standings before the reveal are secret. A worker reads them, because the web process cannot, and
both the request and every look at the answer stand in the audit log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain_host.access import Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import RegisteredTeam
from quintain_host.database.work import QueuedJob, Upload
from quintain_host.intake.uploads_shown import shown_faults
from quintain_host.organising.overview import job_of
from quintain_host.organising.steps import newest_job, request
from quintain_host.queue import UNFINISHED
from quintain_host.site import Site

MOST_DAYS = 60
"""How many days the drawing of submissions goes back."""
MOST_FAULTS = 10
READ_FAULTS = 2000
"""How many of the newest uploads with faults are counted."""

STANDINGS = "standings"
"""The kind of the job that reads the standings."""


@dataclass(frozen=True, slots=True)
class DayOfUploads:
    """What teams sent on one day in UTC."""

    day: date
    accepted: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class QueueLine:
    """The jobs of a kind that are not done: how many wait, run and failed, and since when."""

    kind: str
    waiting: int
    running: int
    failed: int
    oldest: datetime


@dataclass(frozen=True, slots=True)
class FrequentFault:
    """A fault that teams made often: what is wrong, in which column, how often, how many teams."""

    text: str
    column: str
    times: int
    teams: int


@dataclass(frozen=True, slots=True)
class Dashboard:
    """How a contest goes.

    Parameters
    ----------
    teams : how many teams there are in each state of their registration.
    active : how many of them have an accepted submission.
    days : every day from the first upload to the last one, at most sixty.
    """

    teams: Mapping[str, int]
    active: int
    days: Sequence[DayOfUploads]
    queue: Sequence[QueueLine]
    faults: Sequence[FrequentFault]


def dashboard_of(site: Site, visitor: Visitor, edition: str) -> Dashboard:
    """How a contest goes, as far as no secret tells it."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        states = select(RegisteredTeam.state, func.count()).group_by(RegisteredTeam.state)
        teams = session.execute(states.where(RegisteredTeam.edition == edition)).all()
        sent = select(Upload.team).where(Upload.edition == edition, Upload.state == "accepted")
        return Dashboard(
            teams={str(state): int(number) for state, number in teams},
            active=len(set(session.scalars(sent))),
            days=_days(session, edition),
            queue=_queue(session, edition),
            faults=_faults(session, edition),
        )


def _days(session: Session, edition: str) -> list[DayOfUploads]:
    own = select(Upload.arrived, Upload.state).where(Upload.edition == edition)
    rows = session.execute(own.where(Upload.state.in_(("accepted", "refused")))).all()
    if not rows:
        return []
    counted = Counter((arrived.date(), state) for arrived, state in rows)
    last = max(day for day, _ in counted)
    first = max(min(day for day, _ in counted), last - timedelta(days=MOST_DAYS - 1))
    every = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return [DayOfUploads(day, counted[day, "accepted"], counted[day, "refused"]) for day in every]


def _queue(session: Session, edition: str) -> list[QueueLine]:
    left = select(QueuedJob.kind, QueuedJob.state, QueuedJob.requested).where(
        QueuedJob.edition == edition, QueuedJob.state.in_((*UNFINISHED, "failed"))
    )
    rows = [(str(kind), str(state), moment) for kind, state, moment in session.execute(left)]
    counted = Counter((kind, state) for kind, state, _ in rows)
    return [
        QueueLine(
            kind,
            counted[kind, "waiting"],
            counted[kind, "running"],
            counted[kind, "failed"],
            min(moment for name, _, moment in rows if name == kind),
        )
        for kind in sorted({kind for kind, _ in counted})
    ]


def _faults(session: Session, edition: str) -> list[FrequentFault]:
    """The faults of refused uploads and of checks that most uploads have, each counted once."""
    wrong = select(Upload.team, Upload.faults).where(
        Upload.edition == edition, Upload.state.in_(("refused", "invalid"))
    )
    made: Counter[tuple[str, str]] = Counter()
    teams: dict[tuple[str, str], set[str]] = {}
    for team, faults in session.execute(wrong.order_by(Upload.id.desc()).limit(READ_FAULTS)):
        for fault in {(shown.text, shown.column or "") for shown in shown_faults(faults)}:
            made[fault] += 1
            teams.setdefault(fault, set()).add(team)
    ordered = sorted(made.items(), key=lambda item: (-item[1], item[0]))[:MOST_FAULTS]
    return [FrequentFault(*fault, times, len(teams[fault])) for fault, times in ordered]


# --- the standings before the reveal --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EarlyStandings:
    """The boards as a worker read them last, and its job; None if nobody asked for it."""

    job: QueuedJob | None
    boards: Sequence[Mapping[str, Any]]


def request_standings(site: Site, visitor: Visitor, edition: str) -> int:
    """Ask a worker to read the standings as they are now."""
    return request(site, visitor, edition, "scoring", STANDINGS, once=True)


def look_at_standings(site: Site, visitor: Visitor, edition: str) -> EarlyStandings:
    """The boards that a worker read last; the look is recorded."""
    visitor.require_organiser(edition)
    job = newest_job(site, edition, STANDINGS)
    boards = [] if job is None else list(job.result.get("boards", ()))
    if job is not None:
        _log_look(site, visitor, job)
    return EarlyStandings(job, boards)


def look_at_job(site: Site, visitor: Visitor, edition: str, number: int) -> QueuedJob:
    """One job of a contest with its result; if that is the standings, the look is recorded."""
    job = job_of(site, visitor, edition, number)
    _log_look(site, visitor, job)
    return job


def is_look(job: QueuedJob) -> bool:
    """Whether somebody who sees the result of a job sees the standings before the reveal."""
    return job.kind == STANDINGS and bool(job.result.get("boards"))


def _log_look(site: Site, visitor: Visitor, job: QueuedJob) -> None:
    if is_look(job):
        with site.database.writing(job.edition) as session:
            log(session, site, visitor, "standings.look", job.edition, job=job.id)
