"""Own account: what people see of their account, and change in it."""

from __future__ import annotations

from sqlalchemy import select

from quintain.host.access import Visitor
from quintain.host.accounts.names import plain_name
from quintain.host.accounts.passwords import hash_password, matches, require_good
from quintain.host.accounts.registering import ACCOUNTS
from quintain.host.accounts.sessions import WrongPassword, end_sessions
from quintain.host.accounts.tokens import revoke_all
from quintain.host.audit_log import log
from quintain.host.database.people import Account, SignIn
from quintain.host.site import Site


def own_account(site: Site, visitor: Visitor) -> Account:
    """The visitor's account; a program needs a token that may read."""
    number = visitor.require_signed_in()
    visitor.require_scope("read")
    with site.database.reading() as session:
        return session.get_one(Account, number)


def own_sessions(site: Site, visitor: Visitor) -> list[SignIn]:
    """Where the visitor is signed in, the newest first."""
    number = visitor.require_browser()
    with site.database.reading() as session:
        rows = select(SignIn).where(SignIn.account == number, SignIn.expires > site.clock.now())
        return list(session.scalars(rows.order_by(SignIn.created.desc())))


def rename(site: Site, visitor: Visitor, name: str) -> None:
    """Change the visitor's name."""
    number, name = visitor.require_browser(), plain_name(name)
    with site.database.writing(ACCOUNTS) as session:
        session.get_one(Account, number).name = name
        log(session, site, visitor, "account.rename")


def change_password(site: Site, visitor: Visitor, cookie: str, old: str, new: str) -> None:
    """Change the visitor's password; other sessions and all tokens end: a thief may have them."""
    number = visitor.require_browser()
    account = own_account(site, visitor)
    if not matches(account.password, old):
        raise WrongPassword("the present password is wrong")
    require_good(new, account.email, account.name)
    stored = hash_password(new)
    with site.database.writing(ACCOUNTS) as session:
        session.get_one(Account, number).password = stored
        end_sessions(session, number, but=cookie)
        revoke_all(session, site, number)
        log(session, site, visitor, "account.change-password")


def end_other_sessions(site: Site, visitor: Visitor, cookie: str) -> None:
    """Sign the visitor out everywhere else."""
    number = visitor.require_browser()
    with site.database.writing(ACCOUNTS) as session:
        end_sessions(session, number, but=cookie)
        log(session, site, visitor, "session.end-others")
