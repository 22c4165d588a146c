"""Registering: people make an account, or an operator makes one for them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.access import NotAllowed, Visitor
from quintain.host.accounts.links import look_up, make_link, use_link
from quintain.host.accounts.names import BadName, email_address, plain_name
from quintain.host.accounts.passwords import UNUSABLE, hash_password, require_good
from quintain.host.audit_log import log
from quintain.host.database.people import Account
from quintain.host.site import Site

ACCOUNTS = "accounts"
"""The name under which writers of accounts wait for each other."""


@dataclass(frozen=True, slots=True)
class AddedAccount:
    """A new account, with the secret of the link by which its owner sets a password."""

    number: int
    secret: str


def sign_up(site: Site, email: str, name: str, password: str, link: str = "") -> int:
    """Make an account for the visitor; returns its number.

    Parameters
    ----------
    link : the secret of an invitation; needed unless everybody can make an account.
    """
    email, name = email_address(email), plain_name(name)
    require_good(password, email, name)
    require_welcome(site, link)
    stored = hash_password(password)  # slow, so before the transaction
    with site.database.writing(ACCOUNTS) as session:
        if link:
            use_link(session, site, "account", link)
        account = _added(session, site, email, name, stored)
        log(session, site, Visitor(account=account.id), "account.sign-up", link=bool(link))
        return account.id


def require_welcome(site: Site, link: str) -> None:
    """Refuse a visitor who needs an invitation and has none."""
    if link:
        with site.database.reading() as session:
            look_up(session, site, "account", link)
    elif site.settings.accounts != "open":
        raise NotAllowed("you need an invitation to make an account here; ask the organisers")


def add_account(
    site: Site, visitor: Visitor | None, email: str, name: str, *, operator: bool = False
) -> AddedAccount:
    """Make an account for somebody else, who then sets a password with a link.

    Parameters
    ----------
    visitor : an operator; None for a command on the machine of the site.
    """
    if visitor is not None:
        visitor.require_operator()
    email, name = email_address(email), plain_name(name)
    with site.database.writing(ACCOUNTS) as session:
        account = _added(session, site, email, name, UNUSABLE, operator=operator)
        made = make_link(session, site, "password", account=account.id)
        log(session, site, visitor, "account.add", account=account.id, operator=operator)
        return AddedAccount(account.id, made.secret)


def invite(site: Site, visitor: Visitor, *, uses: int = 1, note: str = "") -> str:
    """A link with which people make accounts; for operators. Returns its secret."""
    visitor.require_operator()
    with site.database.writing(ACCOUNTS) as session:
        made = make_link(session, site, "account", uses=uses, note=note)
        log(session, site, visitor, "account.invite", link=made.number, uses=uses)
        return made.secret


def _added(
    session: Session, site: Site, email: str, name: str, stored: str, *, operator: bool = False
) -> Account:
    if session.scalars(select(Account.id).where(Account.email == email)).first() is not None:
        raise BadName("there is an account with this e-mail address: sign in, or ask for a link")
    account = Account(
        email=email,
        name=name,
        password=stored,
        operator=operator,
        created=site.clock.now(),
    )
    session.add(account)
    session.flush()
    return account
