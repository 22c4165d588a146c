"""Links of a team: its captain invites people with a secret text that works a few times."""

from __future__ import annotations

from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.accounts.links import NewLink, look_up, make_link, use_link, valid_links
from quintain.host.audit_log import log
from quintain.host.database.contests import HostedEdition
from quintain.host.database.people import Link
from quintain.host.editions.listing import edition_for, hosted_edition
from quintain.host.refusals import BadInput
from quintain.host.site import Site

MOST_LINKS = 20
"""How many links of one team can be valid at the same time."""
MOST_USES = 50


def make_team_link(site: Site, visitor: Visitor, edition: str, *, uses: int = 1) -> NewLink:
    """A link with which people join the captain's team; it is shown once and stored as a hash."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    if not 1 <= uses <= MOST_USES:
        raise BadInput(f"a link can be used 1 to {MOST_USES} times")
    with site.database.writing(edition) as session:
        if len(_valid(session, site, edition, team)) >= MOST_LINKS:
            raise Refused(f"the team has {MOST_LINKS} valid links; revoke one first")
        link = make_link(
            session, site, "team", account=visitor.account, edition=edition, team=team, uses=uses
        )
        log(session, site, visitor, "team.link", edition, team=team, link=link.number)
    return link


def team_links(site: Site, visitor: Visitor, edition: str) -> list[Link]:
    """The valid links of the captain's team; nobody can read their secrets again."""
    visitor.require_scope("read")
    team = visitor.require_captain(edition)
    with site.database.reading() as session:
        return _valid(session, site, edition, team)


def revoke_team_link(site: Site, visitor: Visitor, edition: str, link: int) -> None:
    """Revoke a link of the captain's team."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    with site.database.writing(edition) as session:
        row = session.get(Link, link) if 0 < link < 2**31 else None
        if row is None or (row.purpose, row.edition, row.team) != ("team", edition, team):
            raise NotThere("your team has no such link")
        row.revoked = row.revoked or site.clock.now()
        log(session, site, visitor, "team.link.revoke", edition, team=team, link=link)


def use_link_of(session: Session, site: Site, purpose: str, secret: str, edition: str) -> Link:
    """Use a link once, in the transaction of the caller, if it is one of this contest."""
    link = use_link(session, site, purpose, secret)
    if link.edition != edition:
        raise NotThere("this link is for another contest")
    return link


def contest_with_link(
    site: Site, visitor: Visitor, edition: str, purpose: str, secret: str
) -> HostedEdition:
    """A contest that the visitor may see, be it because of a valid link."""
    try:
        return edition_for(site, visitor, edition)
    except NotThere:
        with site.database.reading() as session:
            if not secret or look_up(session, site, purpose, secret).edition != edition:
                raise
        return hosted_edition(site, edition)


def _valid(session: Session, site: Site, edition: str, team: str) -> list[Link]:
    return [link for link in valid_links(session, site, "team", edition) if link.team == team]
