"""Links of a contest: a secret text that lets somebody register a team or join one."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.accounts.secret_text import fresh, hashed
from quintain.host.audit_log import log
from quintain.host.database.people import Link
from quintain.host.site import Site

MOST_LINKS = 20
"""How many links of one team can be valid at the same time."""
MOST_USES = 50
LONGEST_TEXT = 200
"""No link is longer; a longer text need not be hashed."""


def make_team_link(
    site: Site, visitor: Visitor, edition: str, *, uses: int = 1, days: int | None = None
) -> str:
    """A link with which people join the captain's team; it is shown once and stored as a hash."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    longest = site.settings.link_days
    if not 1 <= uses <= MOST_USES:
        raise Refused(f"a link can be used 1 to {MOST_USES} times")
    if days is not None and not 1 <= days <= longest:
        raise Refused(f"a link is valid for 1 to {longest} days")
    text, now = fresh(), site.clock.now()
    with site.database.writing(edition) as session:
        if len(_valid(session, edition, team, now)) >= MOST_LINKS:
            raise Refused(f"the team has {MOST_LINKS} valid links; revoke one first")
        link = Link(
            hash=hashed(text),
            purpose="team",
            account=visitor.account,
            edition=edition,
            team=team,
            left=uses,
            created=now,
            expires=now + timedelta(days=days or longest),
        )
        session.add(link)
        session.flush()
        log(session, site, visitor, "team.link", edition, team=team, link=link.id)
    return text


def team_links(site: Site, visitor: Visitor, edition: str) -> list[Link]:
    """The valid links of the captain's team; nobody can read their secrets again."""
    visitor.require_scope("read")
    team = visitor.require_captain(edition)
    with site.database.reading() as session:
        return _valid(session, edition, team, site.clock.now())


def revoke_team_link(site: Site, visitor: Visitor, edition: str, link: int) -> None:
    """Make a link of the captain's team useless."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    with site.database.writing(edition) as session:
        row = session.get(Link, link)
        if row is None or (row.purpose, row.edition, row.team) != ("team", edition, team):
            raise NotThere("your team has no such link")
        row.revoked = row.revoked or site.clock.now()
        log(session, site, visitor, "team.link.revoke", edition, team=team, link=link)


def link_named(session: Session, text: str, purpose: str, edition: str, now: datetime) -> Link:
    """The valid link with a secret text; raises one sentence whatever is wrong with it."""
    row = None
    if len(text) <= LONGEST_TEXT:
        row = session.scalars(select(Link).where(Link.hash == hashed(text))).first()
    if (
        row is None
        or (row.purpose, row.edition) != (purpose, edition)
        or row.revoked is not None
        or row.expires <= now
        or row.left < 1
    ):
        raise Refused("this link is not valid; it may be used up, revoked or too old")
    return row


def use_link(session: Session, text: str, purpose: str, edition: str, *, now: datetime) -> Link:
    """Use a link once; the caller's transaction keeps others from using it at the same time."""
    row = link_named(session, text, purpose, edition, now)
    row.left -= 1
    return row


def _valid(session: Session, edition: str, team: str, now: datetime) -> list[Link]:
    valid = select(Link).where(
        Link.purpose == "team",
        Link.edition == edition,
        Link.team == team,
        Link.revoked.is_(None),
        Link.left > 0,
    )
    rows = session.scalars(valid.order_by(Link.id))
    return [row for row in rows if row.expires > now]
