"""Registrations: organisers approve teams or refuse them, and set their limits."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.contests.roster import Quota
from quintain.contests.words import quota_words
from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import Member, RegisteredTeam
from quintain.host.editions.shown_rules import contest_state
from quintain.host.organising.requests import request
from quintain.host.refusals import Conflict
from quintain.host.site import Site
from quintain.host.teams.joining import enqueue_joins
from quintain.runs.organising.amend import checked_reason
from quintain.runs.organising.limit import obstacles


@dataclass(frozen=True, slots=True)
class TeamForOrganisers:
    """A team, as its organisers see it."""

    team: RegisteredTeam
    members: int
    limits: str
    disqualified: str


def teams_of(site: Site, visitor: Visitor, edition: str) -> list[TeamForOrganisers]:
    """All teams of a contest, with those first that wait for the organisers."""
    visitor.require_organiser(edition)
    state = contest_state(site, edition)
    with site.database.reading() as session:
        rows = session.scalars(
            select(RegisteredTeam)
            .where(RegisteredTeam.edition == edition)
            .order_by(RegisteredTeam.state != "waiting", RegisteredTeam.created, RegisteredTeam.id)
        ).all()
        sizes: dict[str, int] = {
            team: int(size)
            for team, size in session.execute(
                select(Member.team, func.count())
                .where(Member.edition == edition)
                .group_by(Member.team)
            )
        }
    present = {one.id: one.limits for one in state.roster.entrants}
    return [
        TeamForOrganisers(
            row,
            sizes.get(row.id, 0),
            quota_words(present.get(row.id, Quota(**row.limits))),
            state.excluded(row.id),
        )
        for row in rows
    ]


def approve(
    site: Site,
    visitor: Visitor,
    edition: str,
    team: str,
    *,
    competing: bool = True,
    limits: Quota | None = None,
) -> None:
    """Let a team take part; its data are drawn as soon as the contest is prepared."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = _waiting(session, edition, team)
        row.state, row.reason, row.competing = "joining", "", competing
        row.limits = _plain(limits or Quota())
        session.flush()
        enqueue_joins(session, site, edition)
        log(session, site, visitor, "team.approve", edition, team=team, competing=competing)


def refuse(site: Site, visitor: Visitor, edition: str, team: str, reason: str) -> None:
    """Refuse a team that wants to take part, with a reason for the team."""
    visitor.require_organiser(edition)
    reason = checked_reason(reason)
    with site.database.writing(edition) as session:
        row = _waiting(session, edition, team)
        row.state, row.reason = "refused", reason
        log(session, site, visitor, "team.refuse", edition, team=team, reason=reason)


def set_competing(site: Site, visitor: Visitor, edition: str, team: str, competing: bool) -> None:
    """Say whether a team gets a rank; once it has joined, everybody relies on it."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = _row(session, edition, team)
        if row.state == "joined":
            raise Conflict(f"team {team} has joined; whether it competes cannot change any more")
        row.competing = competing
        log(session, site, visitor, "team.competing", edition, team=team, competing=competing)


def set_limits(
    site: Site, visitor: Visitor, edition: str, team: str, limits: Quota, reason: str
) -> int | None:
    """Give a team other limits; returns the job that records them, if the team has joined."""
    visitor.require_organiser(edition)
    reason = checked_reason(reason)
    values = _plain(limits)
    with site.database.writing(edition) as session:
        row = _row(session, edition, team)
        if row.state != "joined":
            row.limits = values
            log(session, site, visitor, "team.limits", edition, team=team, **values)
            return None
    for obstacle in obstacles(contest_state(site, edition), team, limits):
        raise obstacle
    arguments = {"limits": values, "reason": reason}
    return request(site, visitor, edition, "intake", "limit", team=team, arguments=arguments)


def _plain(limits: Quota) -> dict[str, int]:
    values = {name: number for name, number in asdict(limits).items() if number is not None}
    if any(number < 1 for number in values.values()):
        raise Refused("a limit is at least 1; to stop a team, disqualify it")
    return values


def _waiting(session: Session, edition: str, team: str) -> RegisteredTeam:
    row = _row(session, edition, team)
    if row.state != "waiting":
        raise Conflict(f"team {team} is {row.state} and does not wait for an answer")
    return row


def _row(session: Session, edition: str, team: str) -> RegisteredTeam:
    row = session.get(RegisteredTeam, (edition, team))
    if row is None:
        raise NotThere(f"there is no team {team!r}")
    return row
