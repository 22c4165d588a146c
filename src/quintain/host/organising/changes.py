"""Changes of a running contest: longer phases, other rules, decisions on teams; with a reason.

What the rules do not allow is refused at once where the public state shows it. The job asks again.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from quintain.contests import Phase, Track
from quintain.errors import NoSuchPhase, NoSuchTrack, Refused
from quintain.host.access import Visitor
from quintain.host.database.contests import DraftFile
from quintain.host.editions.shown_rules import contest_state, shown_rules
from quintain.host.organising.drafting.draft_check import checked
from quintain.host.organising.drafting.drafts import files_of
from quintain.host.organising.requests import request
from quintain.host.organising.steps import require_fixed
from quintain.host.refusals import Conflict
from quintain.host.site import Site
from quintain.journal.events import write_time
from quintain.journal.state import require_running
from quintain.runs.organising import decide as decisions
from quintain.runs.organising import extend as extensions
from quintain.runs.organising.amend import checked_reason


def utc_time(text: str) -> datetime:
    """A time that somebody typed, in UTC: ``2026-05-01 12:00``, with or without a Z.

    >>> utc_time("2026-05-01 12:00")
    datetime.datetime(2026, 5, 1, 12, 0, tzinfo=datetime.timezone.utc)
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # a year before the first or after 9999
        raise Refused(f"{text[:40]!r} is no time; write it in UTC as 2026-05-01 12:00") from None


def extend(
    site: Site,
    visitor: Visitor,
    edition: str,
    track: str,
    phase: str,
    until: datetime,
    reason: str,
) -> int:
    """Let a phase close later."""
    _require_running(site, visitor, edition)
    reason, state = checked_reason(reason), contest_state(site, edition)
    chosen, extended = _phase(site, edition, track, phase)
    for obstacle in extensions.obstacles(state, chosen, extended, until, site.clock.now()):
        raise obstacle
    arguments = {"track": track, "phase": phase, "until": write_time(until), "reason": reason}
    return request(site, visitor, edition, "intake", "extend", arguments=arguments)


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
    _require_running(site, visitor, edition)
    reason, state = checked_reason(reason), contest_state(site, edition)
    subject = decisions.Subject(team, track or None, entry or None)
    if subject.track is None and subject.entry is None:
        for obstacle in decisions.obstacles(state, decision, subject):
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
    _require_running(site, visitor, edition)
    arguments = {"toml": checked_rules(site, edition, text), "reason": checked_reason(reason)}
    return request(site, visitor, edition, "scoring", "amend", arguments=arguments, once=True)


def checked_rules(site: Site, edition: str, text: str) -> str:
    """The text of an edition file that may become new rules; raises with every fault."""
    with site.database.reading() as session:
        files: list[DraftFile] = files_of(session, edition)
    facts = checked(site, text, {file.name: file.digest for file in files})
    if facts.id != edition:
        raise Conflict(f"the id of this contest is {edition!r} and cannot change")
    return text


def _require_running(site: Site, visitor: Visitor, edition: str) -> None:
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        require_fixed(session, edition)
    require_running(contest_state(site, edition))


def _phase(site: Site, edition: str, track: str, phase: str) -> tuple[Track, Phase]:
    tracks: dict[str, Any] = {one.id: one for one in shown_rules(site, edition).track}
    if track not in tracks:
        raise NoSuchTrack(f"unknown track {track!r}; available: {', '.join(tracks)}")
    phases = {one.id: one for one in tracks[track].phase}
    if phase not in phases:
        raise NoSuchPhase(f"unknown phase {phase!r}; available: {', '.join(phases)}")
    return tracks[track], phases[phase]
