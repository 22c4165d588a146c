"""Steps of a contest, from the check of its draft to its reveal and its archive; each is a job.

A step is a job in the queue and a line in the audit log, in one transaction. What the rules do not
allow is refused at once where the public state shows it. The job asks again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.contests import Phase, Track
from quintain.errors import NoSuchPhase, NoSuchTrack, PhaseClosed, Refused
from quintain.figures.format import minute
from quintain.journal.events import write_time
from quintain.journal.state import require_running
from quintain.runs.folder.organiser_data import disclosures
from quintain.runs.organising import decide as decisions
from quintain.runs.organising.amend import (
    checked_beacon,
    checked_reason,
    deadline_obstacles,
    extension_obstacles,
)
from quintain.runs.organising.freeze import unfinished_phases
from quintain.wording.languages import tell
from quintain_host.access import Conflict, NotThere, Visitor, check_each
from quintain_host.accounts.second_factor import WrongCode, accept_code
from quintain_host.audit_log import log
from quintain_host.database.contests import DraftFile, HostedEdition
from quintain_host.database.people import Account
from quintain_host.database.work import QueuedJob
from quintain_host.editions.shown import contest_state, edition_for, shown_rules
from quintain_host.organising.drafts import Draft, check_draft, draft, files_of
from quintain_host.queue import UNFINISHED, Lane, enqueue
from quintain_host.site import Site


def request(
    site: Site,
    visitor: Visitor,
    edition: str,
    lane: Lane,
    kind: str,
    *,
    team: str | None = None,
    arguments: dict[str, Any] | None = None,
    once: bool = False,
    before: Callable[[Session], None] | None = None,
) -> int:
    """Ask the workers to do something; returns the number of the job.

    Parameters
    ----------
    once : refuse if a job of this kind is not over yet.
    before : checks and changes rows in the same transaction; if it raises, nothing is asked for.
    """
    account = visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        if once:
            _require_none(session, edition, kind)
        if before is not None:
            before(session)
        job = enqueue(
            session,
            edition,
            lane,
            kind,
            now=site.clock.now(),
            team=team,
            account=account,
            arguments=arguments,
        )
        details = {name: value for name, value in (arguments or {}).items() if name != "toml"}
        log(session, site, visitor, f"request.{kind}", edition, job=job.id, team=team, **details)
        return job.id


def _require_none(session: Session, edition: str, kind: str) -> None:
    same = select(QueuedJob.id).where(
        QueuedJob.edition == edition, QueuedJob.kind == kind, QueuedJob.state.in_(UNFINISHED)
    )
    if session.scalars(same).first() is not None:
        raise Conflict(
            tell("the workers do this already (%(kind)s); wait until it is done", kind=kind)
        )


def newest_job(site: Site, edition: str, kind: str) -> QueuedJob | None:
    """The job of a kind that was asked for last; None if there is none."""
    with site.database.reading() as session:
        same = select(QueuedJob).where(QueuedJob.edition == edition, QueuedJob.kind == kind)
        return session.scalars(same.order_by(QueuedJob.id.desc()).limit(1)).first()


def is_outdated(written: Draft, job: QueuedJob | None) -> bool:
    """Whether a draft has changed since a job looked at it."""
    if job is None or job.state != "done":
        return False
    return (job.result["toml"], job.result["files"]) != (written.edition.toml, written.digests())


def lint(site: Site, visitor: Visitor, edition: str) -> int:
    """Look for faults that real contests had; the findings are the result of the job."""
    return request(site, visitor, edition, "scoring", "lint", once=True)


def preview(site: Site, visitor: Visitor, edition: str) -> int:
    """Prepare a copy of the draft with a pretend team, to see what a team would see."""
    _require_unfixed(site, visitor, edition)
    return request(site, visitor, edition, "scoring", "preview", once=True)


def rehearse(site: Site, visitor: Visitor, edition: str) -> int:
    """Let built-in teams play the draft; boards and findings are the result of the job."""
    _require_unfixed(site, visitor, edition)
    return request(site, visitor, edition, "scoring", "rehearse", once=True)


def try_gates(site: Site, visitor: Visitor, edition: str) -> int:
    """Measure releases of the draft by its built-in sanitizers."""
    _require_unfixed(site, visitor, edition)
    return request(site, visitor, edition, "scoring", "try-gates", once=True)


def _require_unfixed(site: Site, visitor: Visitor, edition: str) -> None:
    if draft(site, visitor, edition).edition.state != "draft":
        raise Conflict(tell("the contest is prepared; look at its pages themselves"))


def prepare(
    site: Site,
    visitor: Visitor,
    edition: str,
    *,
    beacon: str = "",
    tracks: tuple[str, ...] = (),
    seed: int | None = None,
    visible: bool = False,
) -> int:
    """Fix the rules and draw the data; if the rules announce a beacon, in two steps.

    Parameters
    ----------
    seed : a public seed makes a rehearsal: anybody can compute its secrets.
    visible : whether everybody sees the contest as soon as its rules are fixed.
    """
    written = draft(site, visitor, edition)
    beacon = checked_beacon(beacon)
    if written.edition.state == "draft":
        if beacon:
            raise Refused(
                tell("first prepare without the beacon: that fixes the rules and the keys")
            )
        check_draft(site, written.edition.toml, written.digests())
    else:
        require_running(contest_state(site, edition))
    arguments: dict[str, Any] = {"beacon": beacon, "tracks": list(tracks), "seed": seed}
    if visible:
        arguments["visible"] = True
    return request(site, visitor, edition, "scoring", "prepare", arguments=arguments, once=True)


def hand_over(site: Site, visitor: Visitor, edition: str, track: str | None = None) -> int:
    """Give the releases of a track to the attackers."""
    _require_live(site, visitor, edition)
    for name, phase in _open_phases(site, edition):
        if phase.submit == "release" and track in (None, "", name) and phase.closes is not None:
            raise PhaseClosed(
                tell(
                    "phase %(phase)s is open until %(minute)s; wait for it",
                    phase=phase.id,
                    minute=minute(phase.closes),
                )
            )
    name, _, goal = (track or "").partition("/")
    arguments = {"track": name or None, "goal": goal or None}
    return request(site, visitor, edition, "scoring", "hand-over", arguments=arguments, once=True)


def score(site: Site, visitor: Visitor, edition: str) -> int:
    """Score now, although nothing new happened."""
    _require_live(site, visitor, edition, over=True)
    return request(site, visitor, edition, "scoring", "score")


def freeze(site: Site, visitor: Visitor, edition: str, reason: str = "") -> int:
    """End the contest; before the end of a phase only with a reason."""
    _require_live(site, visitor, edition)
    ends = [phase for _, phase in _open_phases(site, edition) if phase.closes is not None]
    if ends and not reason.strip():
        names = ", ".join(
            f"{phase.id} until {minute(phase.closes)}" for phase in ends if phase.closes
        )
        problem = tell(
            "phases are not over yet: %(names)s; give a reason to end them now", names=names
        )
        raise PhaseClosed(problem).about("reason")
    arguments = {"reason": checked_reason(reason) if reason.strip() else ""}
    return request(site, visitor, edition, "scoring", "freeze", arguments=arguments, once=True)


def reveal(
    site: Site,
    visitor: Visitor,
    edition: str,
    confirmed: str,
    code: str = "",
    *,
    publish_data: bool = False,
) -> int:
    """Publish every secret. It cannot be taken back, so the visitor types the id of the contest.

    Parameters
    ----------
    code : of the second factor; needed if the account has one.
    publish_data : whether the visitor agrees that data of the organisers' own become public; needed
        if the contest has such data.
    """
    _require_live(site, visitor, edition, over=True)
    if confirmed.strip() != edition:
        problem = tell(
            "type the id of the contest, %(edition)s, to reveal its secrets", edition=edition
        )
        raise Refused(problem).about("confirmed")
    organiser_data = disclosures(shown_rules(site, edition))
    if organiser_data and not publish_data:
        problem = tell(
            "the reveal publishes your data; agree to it first. %(names)s",
            names=" ".join(organiser_data),
        )
        raise Refused(problem).about("publish_data")
    if contest_state(site, edition).frozen is None and _open_phases(site, edition):
        raise PhaseClosed(tell("the contest is not over: freeze it first, with a reason"))

    def require_code(session: Session) -> None:
        account = session.get_one(Account, visitor.require_signed_in())
        if account.totp is not None and not accept_code(session, site, account, code):
            raise WrongCode(tell("this code is not valid now; type the newest one")).about("code")

    return request(site, visitor, edition, "scoring", "reveal", once=True, before=require_code)


def _open_phases(site: Site, edition: str) -> list[tuple[str, Phase]]:
    """The phases that are not over, each with the id of its track."""
    rules, state = shown_rules(site, edition), contest_state(site, edition)
    return [(track.id, phase) for track, phase in unfinished_phases(rules, state, site.clock.now())]


def _require_live(site: Site, visitor: Visitor, edition: str, *, over: bool = False) -> None:
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        require_fixed(session, edition)
    if not over:
        require_running(contest_state(site, edition))


def require_fixed(session: Session, edition: str) -> HostedEdition:
    """The row of an edition whose rules are fixed."""
    row = session.get_one(HostedEdition, edition)
    if row.state == "draft":
        raise Conflict(tell("the rules are not fixed yet: prepare the contest first"))
    return row


def utc_time(text: str) -> datetime:
    """A time that somebody typed, in UTC: ``2026-05-01 12:00``, with or without a Z.

    >>> utc_time("2026-05-01 12:00")
    datetime.datetime(2026, 5, 1, 12, 0, tzinfo=datetime.timezone.utc)
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # a year before the first or after 9999
        problem = tell(
            "%(text)s is not a time; write it in UTC as 2026-05-01 12:00", text=repr(text[:40])
        )
        raise Refused(problem).about("until") from None


def extend(
    site: Site,
    visitor: Visitor,
    edition: str,
    track: str,
    phase: str,
    until: datetime,
    reason: str,
    *,
    team: str | None = None,
) -> int:
    """Let a phase close later, for every team or for one."""
    _require_live(site, visitor, edition)
    chosen, extended = _phase(site, edition, track, phase)
    reason, _ = check_each(
        lambda: checked_reason(reason),
        lambda: _require_later(site, edition, chosen, extended, until, team),
    )
    arguments = {"track": track, "phase": phase, "until": write_time(until), "reason": reason}
    return request(site, visitor, edition, "intake", "extend", team=team, arguments=arguments)


def _require_later(
    site: Site, edition: str, track: Track, phase: Phase, until: datetime, team: str | None
) -> None:
    """Raise why a phase cannot have this end."""
    given = (contest_state(site, edition), track, phase, until, site.clock.now())
    for obstacle in (
        extension_obstacles(*given) if team is None else deadline_obstacles(*given, team=team)
    ):
        raise obstacle


def decide(
    site: Site,
    visitor: Visitor,
    edition: str,
    decision: decisions.Decision,
    team: str,
    reason: str,
    *,
    track: str | None = None,
    entry: str | None = None,
) -> int:
    """Disqualify a team or one of its releases, or reinstate it."""
    _require_live(site, visitor, edition)
    reason, state = checked_reason(reason), contest_state(site, edition)
    subject = decisions.Subject(team, track or None, entry or None)
    if subject.track is None and subject.entry is None:
        for obstacle in decisions.decision_obstacles(state, decision, subject):
            raise obstacle
    arguments = {
        "decision": decision,
        "track": subject.track,
        "entry": subject.entry,
        "reason": reason,
    }
    return request(site, visitor, edition, "intake", "decide", team=team, arguments=arguments)


def amend(site: Site, visitor: Visitor, edition: str, text: str, reason: str) -> int:
    """Put other rules in force; the job refuses what must not change any more."""
    _require_live(site, visitor, edition)
    arguments = {"toml": checked_rules(site, edition, text), "reason": checked_reason(reason)}
    return request(site, visitor, edition, "scoring", "amend", arguments=arguments, once=True)


def checked_rules(site: Site, edition: str, text: str) -> str:
    """The text of an edition file that may become new rules; raises with every fault."""
    with site.database.reading() as session:
        files: list[DraftFile] = files_of(session, edition)
    facts = check_draft(site, text, {file.name: file.digest for file in files})
    if facts.id != edition:
        raise Conflict(
            tell("the id of this contest is %(edition)s and cannot change", edition=repr(edition))
        )
    return text


def _phase(site: Site, edition: str, track: str, phase: str) -> tuple[Track, Phase]:
    tracks: dict[str, Any] = {known.id: known for known in shown_rules(site, edition).track}
    if track not in tracks:
        problem = tell(
            "unknown track %(track)s; available: %(names)s",
            track=repr(track),
            names=", ".join(tracks),
        )
        raise NoSuchTrack(problem).about("track")
    phases = {known.id: known for known in tracks[track].phase}
    if phase not in phases:
        problem = tell(
            "unknown phase %(phase)s; available: %(names)s",
            phase=repr(phase),
            names=", ".join(phases),
        )
        raise NoSuchPhase(problem).about("phase")
    return tracks[track], phases[phase]


Export = Literal["archive", "codabench"]


def request_archive(site: Site, visitor: Visitor, edition: str) -> int:
    """Make the archive of a contest that was revealed."""
    visitor.require_organiser(edition)
    if contest_state(site, edition).revealed is None:
        raise Refused(tell("the archive has every secret: reveal the contest first"))
    return request(site, visitor, edition, "scoring", "archive", once=True)


def request_codabench(site: Site, visitor: Visitor, edition: str, track: str | None = None) -> int:
    """Make a bundle of the current phase for CodaBench; it has the truth.

    ``track`` is "track/goal" if the track has several goals.
    """
    visitor.require_organiser(edition)
    if not contest_state(site, edition).prepared:
        raise Refused(tell("prepare the contest first"))
    name, _, goal = (track or "").partition("/")
    arguments = {"track": name or None, "goal": goal or None}
    return request(site, visitor, edition, "scoring", "codabench", arguments=arguments, once=True)


def export_path(site: Site, visitor: Visitor, edition: str, kind: Export) -> Path:
    """The file of an export, for somebody who may have it."""
    if kind == "codabench":
        visitor.require_organiser(edition)
    else:
        _require_revealed(site, edition_for(site, visitor, edition))
    path = site.export_file(edition, f"{kind}.zip")
    if not path.is_file():
        raise NotThere(tell("nobody has made this file yet"))
    return path


def _require_revealed(site: Site, edition: HostedEdition) -> None:
    if contest_state(site, edition.id).revealed is None:
        raise NotThere(tell("the archive comes with the reveal"))
