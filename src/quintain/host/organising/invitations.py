"""Invitations: links with which people register a team, or join one that the rules name."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.accounts.links import make_link, valid_links
from quintain.host.audit_log import log
from quintain.host.database.contests import Member, RegisteredTeam
from quintain.host.database.people import Link
from quintain.host.site import Site

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
        raise Refused(f"a link can be used 1 to {MOST_USES} times")
    if days is not None and not 1 <= days <= 365:
        raise Refused("a link is valid for 1 to 365 days")
    note = " ".join(note.split())
    if len(note) > LONGEST_NOTE or not note.isprintable():
        raise Refused(f"a note has at most {LONGEST_NOTE} characters that can be printed")
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
        raise NotThere(f"there is no team {team!r}")
    member = select(Member.account).where(Member.edition == edition, Member.team == team)
    if session.scalars(member).first() is not None:
        raise Refused(f"team {team} has a captain, who invites its members")


def invitations(site: Site, visitor: Visitor, edition: str) -> list[Link]:
    """The valid invitations; nobody can read their secrets again."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        return valid_links(session, site, "edition", edition)


def revoke(site: Site, visitor: Visitor, edition: str, link: int) -> None:
    """Revoke an invitation."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get(Link, link)
        if row is None or (row.edition, row.purpose) != (edition, "edition"):
            raise NotThere("there is no such invitation")
        row.revoked = row.revoked or site.clock.now()
        log(session, site, visitor, "invitation.revoke", edition, link=link)
