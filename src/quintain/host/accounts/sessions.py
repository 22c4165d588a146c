"""Sessions: people sign in and out with a browser; the database has hashes of their cookies."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from quintain.host.access import NotSignedIn, Visitor
from quintain.host.accounts.names import BadName, email_address
from quintain.host.accounts.passwords import hash_password, is_outdated, matches
from quintain.host.accounts.registering import ACCOUNTS
from quintain.host.accounts.second_factor import WrongCode, accept_code
from quintain.host.accounts.secret_text import fresh, hashed
from quintain.host.audit_log import log
from quintain.host.database.people import Account, SignIn
from quintain.host.site import Site

LOG = logging.getLogger("quintain.host.accounts")


class WrongPassword(NotSignedIn):
    """The address or the password is wrong; nobody is told which."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A new session: what the cookie has, and whether a code of the second factor is missing."""

    cookie: str
    needs_code: bool


def check_password(site: Site, email: str, password: str) -> Account:
    """The account with this address and password; raises ``WrongPassword``."""
    with site.database.reading() as session:
        account = _account(session, email)
    right = matches(None if account is None else account.password, password)
    if account is None or not right or account.disabled is not None:
        LOG.warning("sign-in refused: account %s", None if account is None else account.id)
        raise WrongPassword("the e-mail address or the password is wrong")
    return account


def sign_in(site: Site, email: str, password: str, old_cookie: str = "") -> Signed:
    """Begin a session with a new secret; the session that the browser had before ends."""
    account = check_password(site, email, password)
    better = hash_password(password) if is_outdated(account.password) else ""
    cookie, now = fresh(), site.clock.now()
    with site.database.writing(ACCOUNTS) as session:
        if better:
            unchanged = Account.password == account.password
            session.execute(
                update(Account).where(Account.id == account.id, unchanged).values(password=better)
            )
        session.execute(delete(SignIn).where(SignIn.expires <= now))
        if old_cookie:
            session.execute(delete(SignIn).where(SignIn.hash == hashed(old_cookie)))
        session.add(_session_row(site, account.id, cookie))
        log(session, site, Visitor(account=account.id), "session.begin")
    return Signed(cookie, account.totp is not None)


def give_code(site: Site, visitor: Visitor, cookie: str, code: str) -> str:
    """Give the second factor; returns the secret of a new session that replaces the old one."""
    number = visitor.awaits_code
    if number is None:
        raise NotSignedIn("sign in first")
    new = fresh()
    with site.database.writing(ACCOUNTS) as session:
        account = session.get_one(Account, number)
        right = accept_code(session, site, account, code)
        if right:
            session.execute(delete(SignIn).where(SignIn.hash == hashed(cookie)))
            row = _session_row(site, number, new)
            row.second_factor = True
            session.add(row)
            log(session, site, Visitor(account=number), "session.second-factor")
    if not right:
        LOG.warning("second factor refused: account %d", number)
        raise WrongCode("the code is wrong or was used already; wait for the next one")
    return new


def sign_out(site: Site, visitor: Visitor, cookie: str) -> None:
    """End the session of a browser."""
    with site.database.writing(ACCOUNTS) as session:
        session.execute(delete(SignIn).where(SignIn.hash == hashed(cookie)))
        if visitor.account is not None:
            log(session, site, visitor, "session.end")


def end_sessions(session: Session, account: int, but: str = "") -> None:
    """End the sessions of an account, in the transaction of the caller; all but one cookie's."""
    rows = delete(SignIn).where(SignIn.account == account)
    session.execute(rows if not but else rows.where(SignIn.hash != hashed(but)))


def _account(session: Session, email: str) -> Account | None:
    try:
        address = email_address(email)
    except BadName:
        return None
    return session.scalars(select(Account).where(Account.email == address)).first()


def _session_row(site: Site, account: int, cookie: str) -> SignIn:
    now = site.clock.now()
    return SignIn(
        hash=hashed(cookie),
        account=account,
        csrf=fresh(),
        created=now,
        expires=now + timedelta(hours=site.settings.session_hours),
    )
