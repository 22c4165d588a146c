"""Registrations: organisers approve teams or refuse them, set their limits, and invite others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.contests.roster import Quota
from quintain.contests.words import quota_words
from quintain.errors import Refused
from quintain.runs.organising.amend import checked_reason, limit_obstacles
from quintain.wording.languages import tell
from quintain_host.access import Conflict, NotThere, Visitor
from quintain_host.accounts.links import make_link, valid_links
from quintain_host.audit_log import log
from quintain_host.database.contests import Member, RegisteredTeam
from quintain_host.database.people import Link
from quintain_host.editions.shown import contest_state
from quintain_host.languages.states import tell_state
from quintain_host.notices.inbox import members, notify
from quintain_host.notices.words import team_approved, team_refused
from quintain_host.organising.steps import request
from quintain_host.site import Site
from quintain_host.teams.registration import enqueue_joins


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
    present = {entrant.id: entrant.limits for entrant in state.roster.entrants}
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
        approve_row(session, site, visitor, row, competing=competing, limits=limits or Quota())


def approve_row(
    session: Session,
    site: Site,
    visitor: Visitor,
    row: RegisteredTeam,
    *,
    competing: bool,
    limits: Quota,
) -> None:
    """Approve a team that waits, in the transaction of the caller."""
    edition, team = row.edition, row.id
    row.state, row.reason, row.competing = "joining", "", competing
    row.limits = _plain(limits)
    session.flush()
    if not enqueue_joins(session, site, edition):  # else it is told in a moment that it joined
        people = members(session, edition, team)
        notify(session, site, edition, people, partial(team_approved, row.name))
    log(session, site, visitor, "team.approve", edition, team=team, competing=competing)


def refuse(site: Site, visitor: Visitor, edition: str, team: str, reason: str) -> None:
    """Refuse a team that wants to take part, with a reason for the team."""
    visitor.require_organiser(edition)
    reason = checked_reason(reason)
    with site.database.writing(edition) as session:
        refuse_row(session, site, visitor, _waiting(session, edition, team), reason)


def refuse_row(
    session: Session, site: Site, visitor: Visitor, row: RegisteredTeam, reason: str
) -> None:
    """Refuse a team that waits, in the transaction of the caller."""
    edition, team = row.edition, row.id
    row.state, row.reason = "refused", reason
    people = members(session, edition, team)
    notify(session, site, edition, people, partial(team_refused, row.name, reason))
    log(session, site, visitor, "team.refuse", edition, team=team, reason=reason)


def set_competing(site: Site, visitor: Visitor, edition: str, team: str, competing: bool) -> None:
    """Say whether a team gets a rank; once it has joined, everybody relies on it."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = _row(session, edition, team)
        if row.state == "joined":
            raise Conflict(
                tell(
                    "team %(team)s has joined; whether it competes cannot change any more",
                    team=team,
                )
            )
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
    for obstacle in limit_obstacles(contest_state(site, edition), team, limits):
        raise obstacle
    arguments = {"limits": values, "reason": reason}
    return request(site, visitor, edition, "intake", "limit", team=team, arguments=arguments)


def _plain(limits: Quota) -> dict[str, int]:
    values = {name: number for name, number in asdict(limits).items() if number is not None}
    if any(number < 1 for number in values.values()):
        raise Refused(tell("a limit is at least 1; to stop a team, disqualify it"))
    return values


def _waiting(session: Session, edition: str, team: str) -> RegisteredTeam:
    row = _row(session, edition, team)
    if row.state != "waiting":
        raise Conflict(
            tell(
                "team %(team)s does not wait for an answer (%(state)s)",
                team=team,
                state=tell_state(row.state, "team"),
            )
        )
    return row


def _row(session: Session, edition: str, team: str) -> RegisteredTeam:
    row = session.get(RegisteredTeam, (edition, team))
    if row is None:
        raise NotThere(tell("there is no team %(team)s", team=repr(team)))
    return row


MOST_USES = 500
LONGEST_NOTE = 200


def invite(
    site: Site,
    visitor: Visitor,
    edition: str,
    *,
    note: str = "",
    uses: int = 1,
    days: int | None = None,
    team: str | None = None,
) -> str:
    """A secret text for a link; it is shown once and stored as a hash.

    Parameters
    ----------
    note : for whom it is; only organisers see it.
    team : people join this team, instead of registering one.
    """
    visitor.require_organiser(edition)
    if not 1 <= uses <= MOST_USES:
        raise Refused(tell("a link can be used 1 to %(most)s times", most=MOST_USES)).about("uses")
    if days is not None and not 1 <= days <= 365:
        raise Refused(tell("a link is valid for 1 to 365 days")).about("days")
    note = " ".join(note.split())
    if len(note) > LONGEST_NOTE or not note.isprintable():
        problem = tell(
            "a note has at most %(most)s characters that can be printed",
            most=LONGEST_NOTE,
        )
        raise Refused(problem).about("note")
    purpose = "edition" if team is None else "team"
    with site.database.writing(edition) as session:
        if team is not None:
            _require_empty(session, edition, team)
        link = make_link(
            session,
            site,
            purpose,
            account=visitor.account,
            edition=edition,
            team=team,
            note=note,
            uses=uses,
        )
        if days is not None:
            expires = site.clock.now() + timedelta(days=days)
            session.get_one(Link, link.number).expires = expires
        log(
            session,
            site,
            visitor,
            "invitation.make",
            edition,
            link=link.number,
            uses=uses,
            team=team,
        )
    return link.secret


def _require_empty(session: Session, edition: str, team: str) -> None:
    """Organisers bring people into a team of the rules; after that its captain decides."""
    if session.get(RegisteredTeam, (edition, team)) is None:
        raise NotThere(tell("there is no team %(team)s", team=repr(team)))
    member = select(Member.account).where(Member.edition == edition, Member.team == team)
    if session.scalars(member).first() is not None:
        raise Refused(tell("team %(team)s has a captain, who invites its members", team=team))


def invitations(site: Site, visitor: Visitor, edition: str) -> list[Link]:
    """The valid invitations; nobody can read their secrets again."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        return valid_links(session, site, "edition", edition)


def revoke_invitation(site: Site, visitor: Visitor, edition: str, link: int) -> None:
    """Revoke an invitation."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get(Link, link)
        if row is None or (row.edition, row.purpose) != (edition, "edition"):
            raise NotThere(tell("there is no such invitation"))
        row.revoked = row.revoked or site.clock.now()
        log(session, site, visitor, "invitation.revoke", edition, link=link)
