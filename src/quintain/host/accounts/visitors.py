"""Visitors: find out who sends a request, from a cookie or from a token."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.access import NOBODY, TeamMembership, Visitor
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
        account = _enabled(session, row.account)
        if account is None:
            return NOBODY
        if account.totp is not None and not row.second_factor:
            return Visitor(awaits_code=account.id, csrf=row.csrf)
        return replace(_visitor(site, session, account, row.second_factor), csrf=row.csrf)


def visitor_with_token(site: Site, token: str) -> Visitor:
    """The person with a token; nobody if it is unknown, revoked or too old.

    A token that may organise counts as a second factor if its owner has one: it was needed to make
    the token, and turning the second factor on ends earlier tokens.
    """
    with site.database.reading() as session:
        row = session.scalars(select(Token).where(Token.hash == hashed(token))).first()
        if row is None or row.revoked is not None or row.expires <= site.clock.now():
            return NOBODY
        # A token of a worker has no account; it is for the routes of workers alone.
        account = None if row.account is None else _enabled(session, row.account)
        if account is None:
            return NOBODY
        visitor = _visitor(site, session, account, account.totp is not None)
        return replace(visitor, scopes=frozenset(map(str, row.scopes)))


def _enabled(session: Session, number: int) -> Account | None:
    account = session.get(Account, number)
    return None if account is None or account.disabled is not None else account


def _visitor(site: Site, session: Session, account: Account, second_factor: bool) -> Visitor:
    trusted = second_factor or not site.settings.second_factor
    organised = select(Organiser.edition).where(Organiser.account == account.id)
    organises = frozenset(session.scalars(organised))
    members = session.scalars(select(Member).where(Member.account == account.id))
    return Visitor(
        account=account.id,
        name=account.name,
        operator=account.operator and trusted,
        organises=organises if trusted else frozenset(),
        teams={one.edition: TeamMembership(one.team, one.captain) for one in members},
        needs_second_factor=not trusted and (account.operator or bool(organises)),
    )
