"""Sessions and tokens: how a browser and a program say whose they are.

People sign in and out with a browser, which has a cookie. Their programs send a token instead,
which is made for some purposes. The database has hashes of both.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from quintain.wording.languages import say
from quintain_host.access import (
    NOBODY,
    NotAllowed,
    NotSignedIn,
    NotThere,
    SecondFactorNeeded,
    TeamMembership,
    Visitor,
)
from quintain_host.accounts.names import BadName, email_address, plain_name
from quintain_host.accounts.passwords import (
    hash_password,
    hash_secret,
    is_outdated,
    matches,
    new_secret,
)
from quintain_host.accounts.second_factor import WrongCode, accept_code
from quintain_host.audit_log import log
from quintain_host.database.contests import Member, Organiser
from quintain_host.database.people import ACCOUNTS, Account, SignIn, Token
from quintain_host.site import Site

LOG = logging.getLogger("quintain_host.accounts")


class WrongPassword(NotSignedIn):
    """The address or the password is wrong; nobody is told which."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A new session: what the cookie has, and whether a code of the second factor is missing."""

    account: int
    cookie: str
    needs_code: bool


def check_password(site: Site, email: str, password: str) -> Account:
    """The account with this address and password; raises ``WrongPassword``."""
    with site.database.reading() as session:
        account = _account(session, email)
    right = matches(None if account is None else account.password, password)
    if account is None or not right or account.disabled is not None:
        LOG.warning("sign-in refused: account %s", None if account is None else account.id)
        raise WrongPassword(say("the e-mail address or the password is wrong")).about("password")
    return account


def sign_in(site: Site, email: str, password: str, old_cookie: str = "") -> Signed:
    """Begin a session with a new secret; the session that the browser had before ends."""
    account = check_password(site, email, password)
    better = hash_password(password) if is_outdated(account.password) else ""
    with site.database.writing(ACCOUNTS) as session:
        if better:
            unchanged = Account.password == account.password
            session.execute(
                update(Account).where(Account.id == account.id, unchanged).values(password=better)
            )
        return begin_session(session, site, account, old_cookie)


def begin_session(
    session: Session, site: Site, account: Account, old_cookie: str, **details: str
) -> Signed:
    """Begin a session of somebody who has shown who they are, in the transaction of the caller.

    Parameters
    ----------
    old_cookie : of the session that the browser had before, which ends.
    details : how the person has shown it, for the audit log; a password if nothing is said.
    """
    cookie = new_secret()
    session.execute(delete(SignIn).where(SignIn.expires <= site.clock.now()))
    if old_cookie:
        session.execute(delete(SignIn).where(SignIn.hash == hash_secret(old_cookie)))
    session.add(_session_row(site, account.id, cookie))
    log(session, site, Visitor(account=account.id), "session.begin", **details)
    return Signed(account.id, cookie, account.totp is not None)


def give_code(site: Site, visitor: Visitor, cookie: str, code: str) -> str:
    """Give the second factor; returns the secret of a new session that replaces the old one."""
    number = visitor.awaits_code
    if number is None:
        raise NotSignedIn(say("sign in first"))
    new = new_secret()
    with site.database.writing(ACCOUNTS) as session:
        account = session.get_one(Account, number)
        right = accept_code(session, site, account, code)
        if right:
            session.execute(delete(SignIn).where(SignIn.hash == hash_secret(cookie)))
            row = _session_row(site, number, new)
            row.second_factor = True
            session.add(row)
            log(session, site, Visitor(account=number), "session.second-factor")
    if not right:
        LOG.warning("second factor refused: account %d", number)
        problem = say("the code is wrong or was used already; wait for the next one")
        raise WrongCode(problem).about("code")
    return new


def sign_out(site: Site, visitor: Visitor, cookie: str) -> None:
    """End the session of a browser."""
    with site.database.writing(ACCOUNTS) as session:
        session.execute(delete(SignIn).where(SignIn.hash == hash_secret(cookie)))
        if visitor.account is not None:
            log(session, site, visitor, "session.end")


def end_sessions(session: Session, account: int, but: str = "") -> None:
    """End the sessions of an account, in the transaction of the caller; all but one cookie's."""
    rows = delete(SignIn).where(SignIn.account == account)
    session.execute(rows if not but else rows.where(SignIn.hash != hash_secret(but)))


def _account(session: Session, email: str) -> Account | None:
    try:
        address = email_address(email)
    except BadName:
        return None
    return session.scalars(select(Account).where(Account.email == address)).first()


def _session_row(site: Site, account: int, cookie: str) -> SignIn:
    now = site.clock.now()
    return SignIn(
        hash=hash_secret(cookie),
        account=account,
        csrf=new_secret(),
        created=now,
        expires=now + timedelta(hours=site.settings.session_hours),
    )


# --- tokens of programs ---------------------------------------------------------------------------


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
        raise SecondFactorNeeded
    with site.database.writing(ACCOUNTS) as session:
        return _add_token(session, site, visitor, number, label, scopes, days)


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
            return _add_token(session, site, visitor, account.id, label, scopes, None)
    raise WrongCode(say("the code of the second factor is missing, wrong, or was used already"))


def tokens_of(site: Site, visitor: Visitor) -> list[Token]:
    """The visitor's tokens that are valid, the newest first."""
    number = visitor.require_signed_in()
    visitor.require_scope("read")
    with site.database.reading() as session:
        return _valid_tokens(session, site, number)


def revoke_token(site: Site, visitor: Visitor, number: int) -> None:
    """End a token of the visitor."""
    account = visitor.require_signed_in()
    with site.database.writing(ACCOUNTS) as session:
        token = session.get(Token, number)
        if token is None or token.account != account:
            raise NotThere(say("you have no token %(number)s", number=number))
        token.revoked = token.revoked or site.clock.now()
        log(session, site, visitor, "token.revoke", token=number)


def revoke_all(session: Session, site: Site, account: int) -> None:
    """End every token of an account, in the transaction of the caller."""
    for token in _valid_tokens(session, site, account):
        token.revoked = site.clock.now()


def _valid_tokens(session: Session, site: Site, account: int) -> list[Token]:
    rows = select(Token).where(Token.account == account, Token.revoked.is_(None))
    later = rows.where(Token.expires > site.clock.now()).order_by(Token.id.desc())
    return list(session.scalars(later))


def _add_token(
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
        raise BadName(say("a token needs some of the scopes %(names)s", names=", ".join(SCOPES)))
    if len(_valid_tokens(session, site, account)) >= MOST_TOKENS:
        raise NotAllowed(
            say(
                "the limit is %(most_tokens)s tokens: revoke one that you do not need",
                most_tokens=MOST_TOKENS,
            )
        )
    secret, now = new_secret(), site.clock.now()
    most = site.settings.token_days
    token = Token(
        hash=hash_secret(secret),
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


# --- who sends a request --------------------------------------------------------------------------


def visitor_with_cookie(site: Site, cookie: str) -> Visitor:
    """The person with a cookie; nobody if it is unknown or too old."""
    with site.database.reading() as session:
        row = session.get(SignIn, hash_secret(cookie))
        if row is None or row.expires <= site.clock.now():
            return NOBODY
        account = _enabled_account(session, row.account)
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
        row = session.scalars(select(Token).where(Token.hash == hash_secret(token))).first()
        if row is None or row.revoked is not None or row.expires <= site.clock.now():
            return NOBODY
        # A token of a worker has no account; it is for the routes of workers alone.
        account = None if row.account is None else _enabled_account(session, row.account)
        if account is None:
            return NOBODY
        visitor = _visitor(site, session, account, account.totp is not None)
        return replace(visitor, scopes=frozenset(map(str, row.scopes)))


def _enabled_account(session: Session, number: int) -> Account | None:
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
        teams={member.edition: TeamMembership(member.team, member.captain) for member in members},
        lacks_second_factor=not trusted,
        would_operate=account.operator and not trusted,
        would_organise=frozenset() if trusted else organises,
    )
