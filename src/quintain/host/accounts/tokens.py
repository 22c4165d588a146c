"""Tokens: what programs of a person send instead of a cookie; each is made for some purposes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.access import NotAllowed, NotThere, Visitor
from quintain.host.accounts.names import BadName, plain_name
from quintain.host.accounts.registering import ACCOUNTS
from quintain.host.accounts.second_factor import WrongCode, accept_code
from quintain.host.accounts.secret_text import fresh, hashed
from quintain.host.accounts.sessions import check_password
from quintain.host.audit_log import log
from quintain.host.database.people import Account, Token
from quintain.host.site import Site

SCOPES = ("read", "submit", "organise")
"""What a token of a person can allow. Workers have tokens of their own, with the scope "work"."""

MOST_TOKENS = 50
"""How many valid tokens a person may have at a time."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made; its secret is shown this one time."""

    token: Token
    secret: str


def make_token(
    site: Site, visitor: Visitor, label: str, scopes: Collection[str], days: int | None = None
) -> NewToken:
    """A token for the visitor's own programs.

    No token makes another one: a thief would have it for longer than it is valid.

    Parameters
    ----------
    scopes : some of "read", "submit" and "organise".
    days : after how many days it ends; the site sets the most.
    """
    number = visitor.require_browser()
    if "organise" in scopes and visitor.needs_second_factor:
        raise NotAllowed("set up your second factor first: /account/second-factor")
    with site.database.writing(ACCOUNTS) as session:
        return _made(session, site, visitor, number, label, scopes, days)


def sign_in_for_token(
    site: Site, email: str, password: str, code: str, label: str, scopes: Collection[str]
) -> NewToken:
    """A token for somebody who gives address, password and, where there is one, second factor."""
    account = check_password(site, email, password)
    with site.database.writing(ACCOUNTS) as session:
        row = session.get_one(Account, account.id)
        right = row.totp is None or accept_code(session, site, row, code)
        if right:
            visitor = Visitor(account=account.id)
            return _made(session, site, visitor, account.id, label, scopes, None)
    raise WrongCode("the code of the second factor is missing, wrong, or was used already")


def tokens_of(site: Site, visitor: Visitor) -> list[Token]:
    """The visitor's tokens that are valid, the newest first."""
    number = visitor.require_signed_in()
    visitor.require_scope("read")
    with site.database.reading() as session:
        return _valid(session, site, number)


def revoke_token(site: Site, visitor: Visitor, number: int) -> None:
    """End a token of the visitor."""
    account = visitor.require_signed_in()
    with site.database.writing(ACCOUNTS) as session:
        token = session.get(Token, number)
        if token is None or token.account != account:
            raise NotThere(f"you have no token {number}")
        token.revoked = token.revoked or site.clock.now()
        log(session, site, visitor, "token.revoke", token=number)


def revoke_all(session: Session, site: Site, account: int) -> None:
    """End every token of an account, in the transaction of the caller."""
    for token in _valid(session, site, account):
        token.revoked = site.clock.now()


def _valid(session: Session, site: Site, account: int) -> list[Token]:
    rows = select(Token).where(Token.account == account, Token.revoked.is_(None))
    later = rows.where(Token.expires > site.clock.now()).order_by(Token.id.desc())
    return list(session.scalars(later))


def _made(
    session: Session,
    site: Site,
    visitor: Visitor,
    account: int,
    label: str,
    scopes: Collection[str],
    days: int | None,
) -> NewToken:
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise BadName(f"a token needs some of the scopes {', '.join(SCOPES)}")
    if len(_valid(session, site, account)) >= MOST_TOKENS:
        raise NotAllowed(f"the limit is {MOST_TOKENS} tokens: revoke one that you do not need")
    secret, now = fresh(), site.clock.now()
    most = site.settings.token_days
    token = Token(
        hash=hashed(secret),
        account=account,
        label=plain_name(label),
        scopes=sorted(set(scopes)),
        created=now,
        expires=now + timedelta(days=min(most if days is None else max(days, 1), most)),
    )
    session.add(token)
    session.flush()
    log(session, site, visitor, "token.make", token=token.id, scopes=token.scopes)
    return NewToken(token, secret)
