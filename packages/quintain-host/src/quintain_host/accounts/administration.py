"""Administration: people make an account and look after it; operators look after all of them.

What operators do takes an operator, or None for a command on the machine of the site.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from quintain.wording.languages import say, spoken
from quintain_host.access import NotAllowed, NotThere, Visitor, check_each
from quintain_host.accounts.links import BY_MAIL, end_links, look_up, make_link, use_link
from quintain_host.accounts.names import BadName, email_address, plain_name
from quintain_host.accounts.ownership import shows_owner
from quintain_host.accounts.passwords import (
    UNUSABLE,
    BadPassword,
    hash_password,
    new_secret,
    require_good,
)
from quintain_host.accounts.second_factor import remove
from quintain_host.accounts.sessions import WrongPassword, end_sessions, revoke_all
from quintain_host.audit_log import log
from quintain_host.database.notices import Contact, Letter, Notice
from quintain_host.database.people import ACCOUNTS, Account, LinkedSignOn, SignIn, SignOnAttempt
from quintain_host.database.work import LogLine
from quintain_host.notices.account_letters import (
    send_address_check,
    send_reset,
    send_sign_up_again,
)
from quintain_host.notices.contacts import mark_checked
from quintain_host.site import Site


@dataclass(frozen=True, slots=True)
class AddedAccount:
    """A new account, with the secret of the link by which its owner sets a password."""

    number: int
    secret: str


_AGAIN = "account.sign-up-again"
_REMEMBERED = timedelta(days=90)


def sign_up(site: Site, email: str, name: str, password: str, link: str = "") -> None:
    """Make an account for the visitor, unless the address has one: then that account stays.

    Both take the same steps and end alike, so the answer does not tell who has an account here. The
    owner of an account sees on its page that somebody tried, and gets a mail where the site sends
    mail. What stays: the visitor can try to sign in with the new password. That costs an account
    for each address that is tried, is limited and stands in the audit log; with accounts by
    invitation it costs an invitation.

    Parameters
    ----------
    link : the secret of an invitation; needed unless everybody can make an account.
    """
    email, name, _ = check_each(
        lambda: email_address(email),
        lambda: plain_name(name),
        lambda: require_good(password),
    )
    require_good(password, email, name)
    require_welcome(site, link)
    stored = hash_password(password)  # slow, so before the transaction
    with site.database.writing(ACCOUNTS) as session:
        if link:
            use_link(session, site, "account", link)
        owner = number_with(session, email)
        with session.begin_nested() as addition:
            # A row is added and taken back for who has an account: it takes the same time.
            free = email if owner is None else f"{new_secret()}@invalid"
            row = add_row(session, site, free, name, stored)
            row.language, number = spoken(), row.id
            if owner is not None:
                addition.rollback()
        if owner is None:
            send_address_check(session, site, number)
            log(session, site, Visitor(account=number), "account.sign-up", link=bool(link))
        else:
            send_sign_up_again(session, site, owner)
            log(session, site, None, _AGAIN, account=owner, link=bool(link))


def require_welcome(site: Site, link: str) -> None:
    """Refuse a visitor who needs an invitation and has none."""
    if link:
        with site.database.reading() as session:
            look_up(session, site, "account", link)
    elif site.settings.accounts != "open":
        raise NotAllowed(say("you need an invitation to make an account here; ask the organisers"))


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
        account = add_row(session, site, email, name, UNUSABLE, operator=operator)
        made = make_link(session, site, "password", account=account.id)
        log(session, site, visitor, "account.add", account=account.id, operator=operator)
        return AddedAccount(account.id, made.secret)


def invite(site: Site, visitor: Visitor) -> str:
    """A link with which one person makes an account; for operators. Returns its secret."""
    visitor.require_operator()
    with site.database.writing(ACCOUNTS) as session:
        made = make_link(session, site, "account")
        log(session, site, visitor, "account.invite", link=made.number, uses=1)
        return made.secret


def add_row(
    session: Session, site: Site, email: str, name: str, stored: str, *, operator: bool = False
) -> Account:
    """Add an account, in the transaction of the caller; refuses an address that has one."""
    if number_with(session, email) is not None:
        problem = say("there is an account with this e-mail address: sign in, or ask for a link")
        raise BadName(problem).about("email")
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


def number_with(session: Session, email: str) -> int | None:
    """The number of the account with an address in its one form; None if it has none."""
    return session.scalars(select(Account.id).where(Account.email == email)).first()


# --- the own account ------------------------------------------------------------------------------


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


def sign_ups_again(site: Site, visitor: Visitor) -> list[datetime]:
    """When others tried to make an account with the visitor's address, the newest first."""
    number = visitor.require_browser()
    with site.database.reading() as session:
        lines = select(LogLine).where(
            LogLine.action == _AGAIN, LogLine.time > site.clock.now() - _REMEMBERED
        )
        newest = session.scalars(lines.order_by(LogLine.number.desc()))
        return [line.time for line in newest if line.details.get("account") == number]


def rename(site: Site, visitor: Visitor, name: str) -> None:
    """Change the visitor's name."""
    number, name = visitor.require_browser(), plain_name(name)
    with site.database.writing(ACCOUNTS) as session:
        session.get_one(Account, number).name = name
        log(session, site, visitor, "account.rename")


def change_language(site: Site, visitor: Visitor, language: str) -> None:
    """Write to the visitor in another language from now on."""
    number = visitor.require_signed_in()
    with site.database.writing(ACCOUNTS) as session:
        session.get_one(Account, number).language = language
        log(session, site, visitor, "account.language", language=language)


def change_password(site: Site, visitor: Visitor, cookie: str, old: str, new: str) -> None:
    """Change the visitor's password; other sessions and all tokens end: a thief may have them.

    Who signs in by a provider alone has no old password, and needs a fresh sign-in instead.
    """
    number = visitor.require_browser()
    account = own_account(site, visitor)
    if not shows_owner(site, account, cookie, old):
        raise WrongPassword(say("the present password is wrong")).about("old")
    try:
        require_good(new, account.email, account.name)
    except BadPassword as problem:
        raise problem.about("new") from None
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


# --- all accounts, for operators ------------------------------------------------------------------


def accounts(site: Site, visitor: Visitor | None) -> list[Account]:
    """Every account, by number."""
    _require_operator(visitor)
    with site.database.reading() as session:
        return list(session.scalars(select(Account).order_by(Account.id)))


def account_with(site: Site, email: str) -> int:
    """The number of the account with an e-mail address."""
    address = email_address(email)
    with site.database.reading() as session:
        number = number_with(session, address)
    if number is None:
        raise NotThere(
            say("there is no account with the e-mail address %(address)s", address=address)
        )
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
        end_links(session, site, "password", row.id)
        if link.note == BY_MAIL:
            mark_checked(session, site, row.id)
        log(session, site, Visitor(account=row.id), "account.set-password", link=link.id)
        return row.id


def ask_for_reset(site: Site, email: str) -> None:
    """Send a link for a new password to an address, if it has an account that is enabled.

    Both take the same steps and end alike, so nobody learns who has an account here.
    """
    try:
        address = email_address(email)
    except BadName:
        return
    with site.database.writing(ACCOUNTS) as session:
        known = select(Account.id).where(Account.email == address, Account.disabled.is_(None))
        owner = session.scalars(known).first()
        with session.begin_nested() as addition:
            send_reset(session, site, owner)
            log(session, site, None, "account.ask-for-reset", account=owner)
            if owner is None:
                addition.rollback()


def ask_for_address_check(site: Site, visitor: Visitor) -> None:
    """Send the visitor a mail with a link that shows that the address is right."""
    number = visitor.require_browser()
    if site.settings.mail is None:
        raise NotAllowed(say("this site sends no mail"))
    with site.database.writing(ACCOUNTS) as session:
        send_address_check(session, site, number)
        log(session, site, visitor, "account.ask-for-check")


def disable(site: Site, visitor: Visitor | None, number: int) -> None:
    """Disable an account. What the person has done so far stays."""
    _require_operator(visitor)
    if visitor is not None and visitor.account == number:
        raise NotAllowed(say("you cannot disable your own account"))
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
        for table in (Notice, Letter, Contact, LinkedSignOn, SignOnAttempt):
            session.execute(delete(table).where(table.account == number))
        log(session, site, None, "account.forget", account=number)


def enable(site: Site, visitor: Visitor | None, number: int) -> None:
    """Enable an account: its person can sign in again."""
    _require_operator(visitor)
    with site.database.writing(ACCOUNTS) as session:
        _account(session, number).disabled = None
        log(session, site, visitor, "account.enable", account=number)


def set_operator(site: Site, visitor: Visitor | None, number: int, *, operator: bool) -> None:
    """Let a person run the site, or no longer."""
    _require_operator(visitor)
    if visitor is not None and visitor.account == number:
        raise NotAllowed(say("another operator has to do this to your account"))
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
        raise NotThere(say("there is no account %(number)s", number=number))
    return account
