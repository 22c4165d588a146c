"""Visitors: find out who sends a request, from a cookie or from a token."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.access import NOBODY, Membership, Visitor
from quintain.host.accounts.secret_text import hashed
from quintain.host.database.contests import Member, Organiser
from quintain.host.database.people import Account, SignIn, Token
from quintain.host.site import Site


def visitor_with_cookie(site: Site, cookie: str) -> Visitor:
    """The person with a cookie; nobody if it is unknown or too old."""
    with site.database.reading() as session:
        row = session.get(SignIn, hashed(cookie))
        if row is None or row.expires <= site.clock.now():
            return NOBODY
        factor = row.second_factor
        return _visitor(site, session, row.account, second_factor=factor, csrf=row.csrf)


def visitor_with_token(site: Site, token: str) -> Visitor:
    """The person with a token; nobody if it is unknown, revoked or too old."""
    with site.database.reading() as session:
        row = session.scalars(select(Token).where(Token.hash == hashed(token))).first()
        if row is None or row.revoked is not None or row.expires <= site.clock.now():
            return NOBODY
        if row.account is None:
            return NOBODY  # a token of a worker is for the routes of workers alone
        scopes = frozenset(map(str, row.scopes))
        return _visitor(site, session, row.account, second_factor=True, scopes=scopes)


def _visitor(
    site: Site,
    session: Session,
    number: int,
    *,
    second_factor: bool,
    scopes: frozenset[str] | None = None,
    csrf: str = "",
) -> Visitor:
    account = session.get(Account, number)
    if account is None or account.disabled is not None:
        return NOBODY
    trusted = second_factor or not site.settings.second_factor
    organised = select(Organiser.edition).where(Organiser.account == number)
    members = session.scalars(select(Member).where(Member.account == number))
    return Visitor(
        account=number,
        name=account.name,
        operator=account.operator and trusted,
        organises=frozenset(session.scalars(organised)) if trusted else frozenset(),
        teams={one.edition: Membership(one.team, one.captain) for one in members},
        scopes=scopes,
        csrf=csrf,
    )
