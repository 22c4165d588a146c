"""Invitations by mail: a captain invites people to the team, organisers invite teams.

The site sends words of its own and no text of the sender, so nobody can use it to send others
advertisements.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.wording.languages import say
from quintain_host.access import BadInput, NotAllowed, Visitor
from quintain_host.accounts.names import BadName, email_address
from quintain_host.audit_log import log
from quintain_host.database.contests import HostedEdition, RegisteredTeam
from quintain_host.database.notices import Letter
from quintain_host.notices.account_letters import INVITATION, send_invitation
from quintain_host.site import Site

MOST_OF_TEAM, MOST_OF_CONTEST = 30, 1000
"""How many people may be invited by mail within a day, to one team and to a contest."""


def read_addresses(text: str) -> list[str]:
    """Addresses with spaces, commas or line ends between them; raises for every bad one at once."""
    addresses, bad = [], []
    for word in text.replace(",", " ").replace(";", " ").split():
        try:
            addresses.append(email_address(word))
        except BadName:
            bad.append(word[:60])
    if bad:
        problem = say("not an e-mail address: %(names)s", names=", ".join(map(repr, bad[:20])))
        raise BadInput(problem).about("addresses")
    if not addresses:
        raise BadInput(say("write at least one e-mail address")).about("addresses")
    return list(dict.fromkeys(addresses))


def invite_people(site: Site, visitor: Visitor, edition: str, addresses: Sequence[str]) -> int:
    """Invite people to the captain's team; each gets a link of their own. Returns how many."""
    visitor.require_scope("submit")
    team = visitor.require_captain(edition)
    return _invite(site, visitor, edition, addresses, team)


def invite_teams(site: Site, visitor: Visitor, edition: str, addresses: Sequence[str]) -> int:
    """Invite people to register a team; each gets a link of their own. Returns how many."""
    visitor.require_organiser(edition)
    return _invite(site, visitor, edition, addresses, None)


def _invite(
    site: Site, visitor: Visitor, edition: str, addresses: Sequence[str], team: str | None
) -> int:
    if site.settings.mail is None:
        raise NotAllowed(say("this site sends no mail: make a link, and send it yourself"))
    checked = read_addresses(" ".join(addresses))
    with site.database.writing(edition) as session:
        _require_few(session, site, edition, team, len(checked))
        contest = session.get_one(HostedEdition, edition).title
        name = "" if team is None else session.get_one(RegisteredTeam, (edition, team)).name
        for address in checked:
            send_invitation(
                session,
                site,
                address,
                inviter=visitor.require_signed_in(),
                sender=visitor.name,
                contest=contest,
                edition=edition,
                team=team,
                team_name=name,
            )
        log(session, site, visitor, "invitation.mail", edition, team=team, people=len(checked))
    return len(checked)


def _require_few(session: Session, site: Site, edition: str, team: str | None, more: int) -> None:
    since = site.clock.now() - timedelta(days=1)
    sent = select(func.count()).where(
        Letter.edition == edition,
        Letter.team == team if team is not None else Letter.team.is_(None),
        Letter.kind == INVITATION,
        Letter.created > since,
    )
    most = MOST_OF_CONTEST if team is None else MOST_OF_TEAM
    if (session.scalar(sent) or 0) + more > most:
        problem = say("at most %(most)s people can be invited by mail within a day", most=most)
        raise Refused(problem).about("addresses")
