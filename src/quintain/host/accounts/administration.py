"""Administration: what operators do with accounts, on pages or by a command on the machine.

Every function takes an operator, or None for a command on the machine of the site.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.access import NotAllowed, NotThere, Visitor
from quintain.host.accounts.links import look_up, make_link, use_link
from quintain.host.accounts.names import email_address
from quintain.host.accounts.passwords import hash_password, require_good
from quintain.host.accounts.registering import ACCOUNTS
from quintain.host.accounts.second_factor import remove
from quintain.host.accounts.sessions import end_sessions
from quintain.host.accounts.tokens import revoke_all
from quintain.host.audit_log import log
from quintain.host.database.people import Account
from quintain.host.site import Site


def accounts(site: Site, visitor: Visitor | None) -> list[Account]:
    """Every account, by number."""
    _require_operator(visitor)
    with site.database.reading() as session:
        return list(session.scalars(select(Account).order_by(Account.id)))


def account_with(site: Site, email: str) -> int:
    """The number of the account with an e-mail address."""
    address = email_address(email)
    with site.database.reading() as session:
        number = session.scalars(select(Account.id).where(Account.email == address)).first()
    if number is None:
        raise NotThere(f"there is no account with the e-mail address {address}")
    return number


def password_link(site: Site, visitor: Visitor | None, number: int) -> str:
    """A link with which the owner of an account sets a new password; returns its secret."""
    _require_operator(visitor)
    with site.database.writing(ACCOUNTS) as session:
        _account(session, number)
        made = make_link(session, site, "password", account=number)
        log(session, site, visitor, "account.password-link", account=number, link=made.number)
        return made.secret


def owner_of_link(site: Site, secret: str) -> Account:
    """The account whose password a link sets."""
    with site.database.reading() as session:
        link = look_up(session, site, "password", secret)
        return session.get_one(Account, link.account)


def set_password(site: Site, secret: str, password: str) -> int:
    """Set a password with a link. Sessions and tokens of the account end: others may have them."""
    account = owner_of_link(site, secret)
    require_good(password, account.email, account.name)
    stored = hash_password(password)
    with site.database.writing(ACCOUNTS) as session:
        link = use_link(session, site, "password", secret)
        row = session.get_one(Account, link.account)
        row.password = stored
        end_sessions(session, row.id)
        revoke_all(session, site, row.id)
        log(session, site, Visitor(account=row.id), "account.set-password", link=link.id)
        return row.id


def disable(site: Site, visitor: Visitor | None, number: int) -> None:
    """Disable an account. What the person has done so far stays."""
    _require_operator(visitor)
    if visitor is not None and visitor.account == number:
        raise NotAllowed("you cannot disable your own account")
    with site.database.writing(ACCOUNTS) as session:
        account = _account(session, number)
        account.disabled = account.disabled or site.clock.now()
        end_sessions(session, number)
        revoke_all(session, site, number)
        log(session, site, visitor, "account.disable", account=number)


def forget(site: Site, number: int) -> None:
    """Remove what is known of a person; the number stays, because uploads and the log name it."""
    disable(site, None, number)
    with site.database.writing(ACCOUNTS) as session:
        account = _account(session, number)
        remove(session, account)
        account.email, account.name = f"forgotten-{number}@invalid", "Forgotten"
        account.password, account.operator = "!", False
        log(session, site, None, "account.forget", account=number)


def enable(site: Site, visitor: Visitor | None, number: int) -> None:
    """Let a person in again."""
    _require_operator(visitor)
    with site.database.writing(ACCOUNTS) as session:
        _account(session, number).disabled = None
        log(session, site, visitor, "account.enable", account=number)


def set_operator(site: Site, visitor: Visitor | None, number: int, *, operator: bool) -> None:
    """Let a person run the site, or no longer."""
    _require_operator(visitor)
    if visitor is not None and visitor.account == number:
        raise NotAllowed("another operator has to do this to your account")
    with site.database.writing(ACCOUNTS) as session:
        _account(session, number).operator = operator
        log(session, site, visitor, "account.operator", account=number, operator=operator)


def remove_second_factor(site: Site, visitor: Visitor | None, number: int) -> None:
    """Turn off the second factor of somebody who has lost phone and recovery codes."""
    _require_operator(visitor)
    with site.database.writing(ACCOUNTS) as session:
        remove(session, _account(session, number))
        revoke_all(session, site, number)
        log(session, site, visitor, "second-factor.remove", account=number)


def _require_operator(visitor: Visitor | None) -> None:
    if visitor is not None:
        visitor.require_operator()


def _account(session: Session, number: int) -> Account:
    account = session.get(Account, number)
    if account is None:
        raise NotThere(f"there is no account {number}")
    return account
