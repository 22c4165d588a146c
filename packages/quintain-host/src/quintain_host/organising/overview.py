"""Overview: how a contest stands, what is stuck and why, and what its organisers do next.

Organisers also look at the jobs of their contest, try one again or cancel it, and read the log.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from quintain.contests import Edition, Phase, Track
from quintain.journal.state import State, begins, has_begun
from quintain.runs.lint import phases_out_of_order
from quintain.runs.organising.freeze import unfinished_phases
from quintain.wording.languages import in_context, say, say_and, say_count, tell, write_moment
from quintain_host.access import Conflict, NotThere, Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import HostedEdition, RegisteredTeam, Rejudging
from quintain_host.database.people import Account
from quintain_host.database.work import LogLine, QueuedJob, Upload, WorkerRow
from quintain_host.editions.shown import contest_state, shown_rules
from quintain_host.languages.states import tell_state
from quintain_host.notices.questions import unanswered_count
from quintain_host.queue import LATELY, QUEUE, UNFINISHED
from quintain_host.site import Site

MORE_ATTEMPTS = 3
SHOWN = 100


def jobs_of(site: Site, visitor: Visitor, edition: str) -> list[QueuedJob]:
    """What is not over and what failed comes first, then what ended last."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        own = select(QueuedJob).where(QueuedJob.edition == edition)
        stuck = own.where(QueuedJob.state.in_((*UNFINISHED, "failed")))
        ended = own.where(QueuedJob.state.in_(("done", "cancelled")))
        newest = ended.order_by(QueuedJob.id.desc()).limit(20)
        first = session.scalars(stuck.order_by(QueuedJob.id).limit(SHOWN)).all()
        return [*first, *session.scalars(newest)]


def job_of(site: Site, visitor: Visitor, edition: str, number: int) -> QueuedJob:
    """One job of a contest."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        return _job(session, edition, number)


def retry_job(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Put a failed job into the queue again; an upload that it is about waits again."""
    visitor.require_organiser(edition)
    with site.database.writing(QUEUE) as session:
        job = _job(session, edition, number)
        if job.state != "failed":
            raise Conflict(
                tell(
                    "only a failed job can be tried again (job %(number)s: %(state)s)",
                    number=number,
                    state=tell_state(job.state, "job"),
                )
            )
        job.state, job.reason, job.ended = "waiting", "", None
        job.max_attempts = job.attempt + MORE_ATTEMPTS
        _set_upload(session, job, "failed", "waiting", [])
        _set_rejudging(session, job, "failed", "waiting")
        log(session, site, visitor, "job.retry", edition, job=number, kind=job.kind)


def cancel_job(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Take a job out of the queue that waits or has failed; one that runs has to end by itself."""
    visitor.require_organiser(edition)
    with site.database.writing(QUEUE) as session:
        job = _job(session, edition, number)
        if job.state not in ("waiting", "failed"):
            raise Conflict(
                tell(
                    "job %(number)s cannot be cancelled any more (%(state)s)",
                    number=number,
                    state=tell_state(job.state, "job"),
                )
            )
        reason = "the organisers cancelled it"
        job.state, job.reason, job.ended = "cancelled", reason, site.clock.now()
        _set_upload(session, job, "waiting", "failed", [f"{reason}; it costs no attempt"])
        _set_rejudging(session, job, "waiting", "failed")
        if job.kind == "join":
            _stop_joining(session, job)
        log(session, site, visitor, "job.cancel", edition, job=number, kind=job.kind)


def _job(session: Session, edition: str, number: int) -> QueuedJob:
    job = session.get(QueuedJob, number)
    if job is None or job.edition != edition:
        raise NotThere(tell("this contest has no job %(number)s", number=number))
    return job


def _set_upload(
    session: Session, job: QueuedJob, before: str, after: str, faults: list[str]
) -> None:
    upload = job.arguments.get("upload")
    if upload is not None:
        change = update(Upload).where(Upload.id == upload, Upload.state == before)
        session.execute(change.values(state=after, faults=faults))


def _set_rejudging(session: Session, job: QueuedJob, before: str, after: str) -> None:
    if job.kind == "rejudge":
        number = job.arguments["rejudging"]
        change = update(Rejudging).where(Rejudging.id == number, Rejudging.state == before)
        session.execute(change.values(state=after))


def _stop_joining(session: Session, job: QueuedJob) -> None:
    """A team whose job is cancelled waits for the organisers again."""
    session.execute(
        update(RegisteredTeam)
        .where(
            RegisteredTeam.edition == job.edition,
            RegisteredTeam.id == job.team,
            RegisteredTeam.state == "joining",
        )
        .values(state="waiting")
    )


LEAST_FREE = 2 * 2**30
"""With fewer free bytes than this, organisers should know."""
_SOON = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something that waits for the organisers, and the page where they do it.

    Parameters
    ----------
    action : the part of the address after ``/organise/EDITION``.
    """

    sentence: str
    action: str
    urgent: bool = True


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker that has been seen."""

    name: str
    lanes: tuple[str, ...]
    able: bool
    why: str
    seen: datetime
    alive: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """How a contest stands.

    Parameters
    ----------
    waiting, oldest : the uploads that wait, and when the oldest of them came.
    free : bytes that are free on the disk of the site.
    """

    edition: HostedEdition
    rules: Edition | None
    state: State
    steps: tuple[NextStep, ...]
    jobs: tuple[QueuedJob, ...]
    workers: tuple[WorkerView, ...]
    waiting: int
    oldest: datetime | None
    free: int

    def extendable(self, team: str) -> Iterator[tuple[Track, Phase]]:
        """The phases that can close later for one team, with their present end for it."""
        for track in () if self.rules is None else self.rules.track:
            for phase in self.state.for_team(track, team).phase:
                handed_over = phase.submit == "release" and track.id in self.state.handed_over
                if phase.closes is not None and not handed_over:
                    yield track, phase


def overview_of(site: Site, visitor: Visitor, edition: str) -> Overview:
    """Everything that the organisers of a contest should know now."""
    visitor.require_organiser(edition)
    now, state, rules = site.clock.now(), contest_state(site, edition), _rules(site, edition)
    with site.database.reading() as session:
        row = session.get(HostedEdition, edition)
        if row is None:
            raise NotThere(tell("there is no contest %(edition)s here", edition=repr(edition)))
        waiting, oldest = _waiting_uploads(session, edition)
        workers = tuple(_worker(worker, now) for worker in session.scalars(select(WorkerRow)))
        steps = [*_troubles(session, site, edition, workers), *_team_steps(session, edition)]
    steps += next_steps(row, rules, state, now)
    return Overview(
        edition=row,
        rules=rules,
        state=state,
        steps=tuple(steps),
        jobs=tuple(jobs_of(site, visitor, edition)),
        workers=workers,
        waiting=waiting,
        oldest=oldest,
        free=shutil.disk_usage(site.root).free,
    )


def next_steps(
    row: HostedEdition, rules: Edition | None, state: State, now: datetime
) -> Iterator[NextStep]:
    """What the organisers of a contest have to do next, by its state and the time."""
    if row.state == "draft" or rules is None:
        yield NextStep(say("The rules are a draft: check them, then prepare."), "/draft", False)
        return
    if state.revealed is not None:
        return
    if state.frozen is not None:
        yield NextStep(say("The contest is over: reveal its secrets."), "/steps")
        return
    if not row.visible:
        yield NextStep(
            say("Nobody but you sees this contest: make it visible."), "/settings", False
        )
    if not state.prepared and rules.commitment.beacon:
        sentence = say(
            "The rules announce a beacon (%(beacon)s): prepare with it.",
            beacon=rules.commitment.beacon,
        )
        yield NextStep(sentence, "/steps")
        return
    yield from _rounds(rules, state, now)
    yield from _collisions(rules, state)
    if state.prepared and not list(unfinished_phases(rules, state, now)):
        yield NextStep(say("Every phase is over: freeze the contest, or reveal it."), "/steps")


def _rounds(rules: Edition, state: State, now: datetime) -> Iterator[NextStep]:
    for track in rules.track:
        start = begins(track)
        if track.id not in state.prepared:
            if has_begun(track, now + _SOON):
                name = track.title or track.id
                text = say("Round %(round)s has no dates: prepare it.", round=name)
                if start is not None:
                    when = write_moment(start)
                    text = say(
                        "Round %(round)s begins on %(when)s: prepare it.", round=name, when=when
                    )
                yield NextStep(text, "/steps")
            continue
        release = state.for_last_team(track).phase_for("release")
        if release is None or not track.teams_release or track.id in state.handed_over:
            continue
        if release.closes is not None and release.closes <= now:
            sentence = say(
                "The phase %(phase)s of %(round)s is over: hand its releases over.",
                phase=release.id,
                round=track.title or track.id,
            )
            yield NextStep(sentence, "/steps")


def _collisions(rules: Edition, state: State) -> Iterator[NextStep]:
    """Phases that were extended so far that another one begins before their end."""
    if state.amended or state.deadlines:
        for finding in phases_out_of_order(state.latest(rules)):
            message = f"{finding.message[:1].upper()}{finding.message[1:]}"
            sentence = say("%(message)s. Tell the teams.", message=message)
            yield NextStep(sentence, "/rules", False)


def _team_steps(session: Session, edition: str) -> Iterator[NextStep]:
    waiting = session.scalar(
        select(func.count()).where(
            RegisteredTeam.edition == edition, RegisteredTeam.state == "waiting"
        )
    )
    if waiting:
        yield NextStep(
            say_count(
                "%(n)s team waits for your answer.", "%(n)s teams wait for your answer.", waiting
            ),
            "/teams",
        )
    questions = unanswered_count(session, edition)
    if questions:
        yield NextStep(
            say_count(
                "%(n)s question waits for your answer.",
                "%(n)s questions wait for your answer.",
                questions,
            ),
            "/questions",
        )


def _troubles(
    session: Session, site: Site, edition: str, workers: tuple[WorkerView, ...]
) -> Iterator[NextStep]:
    """What keeps the machinery from working."""
    jobs = select(func.count()).where(QueuedJob.edition == edition)
    failed = session.scalar(jobs.where(QueuedJob.state == "failed")) or 0
    if failed:
        yield NextStep(
            say_count(
                "%(n)s job failed: read why, then retry or cancel.",
                "%(n)s jobs failed: read why, then retry or cancel.",
                failed,
            ),
            "/jobs",
        )
    missing = {"intake", "scoring"} - {
        lane for worker in workers if worker.alive for lane in worker.lanes
    }
    waiting = session.scalar(jobs.where(QueuedJob.state == "waiting")) or 0
    if waiting and missing:
        lanes = say_and(sorted(missing))
        text = say("No worker is there for %(lanes)s: tell the operators.", lanes=lanes)
        yield NextStep(text, "/jobs")
    if shutil.disk_usage(site.root).free < LEAST_FREE:
        yield NextStep(say("The disk of the site is almost full: tell the operators."), "/jobs")


def _waiting_uploads(session: Session, edition: str) -> tuple[int, datetime | None]:
    size, oldest = session.execute(
        select(func.count(), func.min(Upload.arrived)).where(
            Upload.edition == edition, Upload.state == "waiting"
        )
    ).one()
    return int(size), oldest


def _worker(row: WorkerRow, now: datetime) -> WorkerView:
    lanes = tuple(map(str, row.lanes))
    alive = now - row.seen <= LATELY
    return WorkerView(row.name, lanes, row.able, row.why, row.seen, alive)


def _rules(site: Site, edition: str) -> Edition | None:
    """The public rules in force; None before they are fixed."""
    if not site.edition_root(edition).is_dir():
        return None
    try:
        return shown_rules(site, edition)
    except NotThere:
        return None


AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Action:
    """One line of the audit log, in words."""

    number: int
    time: datetime
    person: str
    action: str
    details: str


def actions_of(
    site: Site, visitor: Visitor, edition: str, *, before: int | None = None
) -> list[Action]:
    """The newest lines about a contest; ``before`` goes back to those before a number."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        own = select(LogLine).where(LogLine.edition == edition)
        if before is not None:
            own = own.where(LogLine.number < before)
        lines = session.scalars(own.order_by(LogLine.number.desc()).limit(AT_ONCE)).all()
        people = {line.account for line in lines if line.account is not None}
        names: dict[int, str] = {
            number: str(name)
            for number, name in session.execute(
                select(Account.id, Account.name).where(Account.id.in_(people))
            )
        }
    return [_action(line, names) for line in lines]


def _action(line: LogLine, names: dict[int, str]) -> Action:
    person = (
        say("the site")
        if line.account is None
        else names.get(line.account, say(in_context("a person without a name", "somebody")))
    )
    return Action(line.number, line.time, person, line.action, _words(line.details.items()))


def _words(details: Iterable[tuple[str, object]]) -> str:
    """Details as a text; what says nothing is left out."""
    return ", ".join(f"{name}: {value}" for name, value in details if value not in (None, "", []))
