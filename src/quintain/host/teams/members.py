"""Members: people join a team by a link, leave it, and captains hand over."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.accounts.links import look_up
from quintain.host.audit_log import log
from quintain.host.database.contests import Description, HostedEdition, Member, RegisteredTeam
from quintain.host.database.people import Account, Link
from quintain.host.editions.shown_rules import contest_state
from quintain.host.site import Site
from quintain.host.teams.links import use_link_of
from quintain.host.teams.registration import (
    NoPlace,
    leave_refused,
    remember_insider,
    require_no_team,
    require_outsider,
)
from quintain.journal.state import require_running


@dataclass(frozen=True, slots=True)
class Person:
    """A member of a team, as the other members see them."""

    account: int
    name: str
    captain: bool


def members_of(session: Session, edition: str, team: str) -> list[Person]:
    """The members of a team, the captain first."""
    rows = session.execute(
        select(Member.account, Account.name, Member.captain)
        .join(Account, Account.id == Member.account)
        .where(Member.edition == edition, Member.team == team)
        .order_by(Member.captain.desc(), Account.name, Account.id)
    )
    return [Person(*row) for row in rows]


def team_behind(site: Site, visitor: Visitor, edition: str, link: str) -> RegisteredTeam:
    """The team that a link is for, so that a person sees it before joining."""
    visitor.require_signed_in()
    with site.database.reading() as session:
        row = look_up(session, site, "team", link)
        if row.edition != edition:
            raise NotThere("this link is for another contest")
        return session.get_one(RegisteredTeam, (edition, row.team))


def join_team(site: Site, visitor: Visitor, edition: str, link: str) -> str:
    """Join a team by its captain's link; returns the id of the team."""
    account = visitor.require_signed_in()
    visitor.require_scope("submit")
    require_running(contest_state(site, edition))
    with site.database.writing(edition) as session:
        leave_refused(session, edition, account)
        require_no_team(session, edition, account)
        team = str(use_link_of(session, site, "team", link, edition).team)
        require_outsider(session, edition, account, team)
        _require_room(session, edition, team)
        first = _size(session, edition, team) == 0  # a team of the rules has no captain yet
        session.add(Member(edition=edition, account=account, team=team, captain=first))
        log(session, site, visitor, "team.join", edition, team=team)
    return team


def leave_team(site: Site, visitor: Visitor, edition: str) -> None:
    """Leave a team. The last member withdraws it, as long as it does not take part yet."""
    account, team = visitor.require_signed_in(), visitor.team_in(edition)
    visitor.require_scope("submit")
    with site.database.writing(edition) as session:
        member = _member(session, edition, team, account)
        others = _size(session, edition, team) - 1
        if member.captain and others:
            raise Refused("hand over to another captain first, then leave")
        row = session.get_one(RegisteredTeam, (edition, team))
        if not others and row.state in ("joining", "joined"):
            raise Refused("you are the only member; a team that takes part cannot be without one")
        _remove(session, row, account)
        if not others and row.state == "waiting":
            _withdraw(session, row)
        log(session, site, visitor, "team.leave", edition, team=team)


def remove_member(site: Site, visitor: Visitor, edition: str, account: int) -> None:
    """The captain takes a member out of the team."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    if account == visitor.account:
        raise Refused("hand over to another captain first, then leave")
    with site.database.writing(edition) as session:
        _require_captain_still(session, edition, team, visitor)
        _member(session, edition, team, account)
        _remove(session, session.get_one(RegisteredTeam, (edition, team)), account)
        log(session, site, visitor, "team.remove", edition, team=team, member=account)


def hand_over_captaincy(site: Site, visitor: Visitor, edition: str, account: int) -> None:
    """The captain makes another member the captain."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    with site.database.writing(edition) as session:
        _require_captain_still(session, edition, team, visitor)
        next_captain = _member(session, edition, team, account)
        _member(session, edition, team, visitor.require_signed_in()).captain = False
        next_captain.captain = True
        log(session, site, visitor, "team.captain", edition, team=team, member=account)


def _require_captain_still(session: Session, edition: str, team: str, visitor: Visitor) -> None:
    """A request may have come before the captain handed over."""
    if not _member(session, edition, team, visitor.require_signed_in()).captain:
        raise Refused(f"only the captain of team {team} can do this")


def _member(session: Session, edition: str, team: str, account: int) -> Member:
    member = session.get(Member, (edition, account))
    if member is None or member.team != team:
        raise NotThere(f"team {team} has no such member")
    return member


def _require_room(session: Session, edition: str, team: str) -> None:
    row = session.get_one(RegisteredTeam, (edition, team))
    if row.state == "refused":
        raise Refused(f"team {row.name} was refused")
    most = session.get_one(HostedEdition, edition).team_size
    if most is not None and _size(session, edition, team) >= most:
        raise NoPlace(f"team {row.name} has {most} members, and no more are allowed")


def _size(session: Session, edition: str, team: str) -> int:
    size = select(func.count()).where(Member.edition == edition, Member.team == team)
    return int(session.scalar(size) or 0)


def _remove(session: Session, team: RegisteredTeam, account: int) -> None:
    """Take a person out of a team; who could see its data stays out of all others."""
    same = (Member.edition == team.edition, Member.account == account)
    session.execute(delete(Member).where(*same))
    if team.state == "joined":
        remember_insider(session, team.edition, account, team.id)


def _withdraw(session: Session, team: RegisteredTeam) -> None:
    same = (Description.edition == team.edition, Description.team == team.id)
    session.execute(delete(Description).where(*same))
    session.execute(delete(Link).where(Link.edition == team.edition, Link.team == team.id))
    session.delete(team)
