"""Identities: which person at a provider signs in to which account.

An account is opened by the issuer and the subject of a person alone. They come to an account in two
ways: its owner links them while signed in, or a new account is made for them.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.wording.languages import say
from quintain_host.access import Conflict, NotAllowed, NotThere, Visitor
from quintain_host.accounts.administration import add_row, number_with, require_welcome
from quintain_host.accounts.links import use_link
from quintain_host.accounts.names import plain_name
from quintain_host.accounts.passwords import UNUSABLE
from quintain_host.accounts.sessions import Signed, begin_session
from quintain_host.audit_log import log
from quintain_host.database.people import ACCOUNTS, Account, LinkedSignOn
from quintain_host.notices.contacts import mark_checked
from quintain_host.sign_on.calls import SignOnFailed
from quintain_host.sign_on.person import ProvedPerson
from quintain_host.site import Site

MOST = 10
"""How many sign-ons an account can have."""


def sign_in_as(site: Site, person: ProvedPerson, provider: str, old_cookie: str) -> Signed | None:
    """Begin a session of the account of a person; None if the person has no account here."""
    with site.database.writing(ACCOUNTS) as session:
        row = _row(session, person)
        if row is None:
            return None
        account = session.get_one(Account, row.account)
        if account.disabled is not None:
            raise SignOnFailed(say("the operators have disabled your account: ask them why"))
        return begin_session(session, site, account, old_cookie, provider=provider)


def link_sign_on(site: Site, visitor: Visitor, person: ProvedPerson, provider: str) -> None:
    """Let a person at a provider sign in to the visitor's account."""
    number = visitor.require_browser()
    with site.database.writing(ACCOUNTS) as session:
        row = _row(session, person)
        if row is not None and row.account != number:
            raise SignOnFailed(
                say(
                    "this sign-on belongs to another account of this site: sign in with it and "
                    "remove it there first"
                )
            )
        if row is not None:
            return
        if len(_rows(session, number)) >= MOST:
            raise SignOnFailed(
                say("an account has at most %(most)s sign-ons: remove one first", most=MOST)
            )
        _add(session, site, number, person)
        log(session, site, visitor, "sign-on.link", provider=provider)


def refusal_of(site: Site, person: ProvedPerson) -> str:
    """Why no account can be made for a person; empty if one can."""
    if not person.email:
        return (
            "The provider does not say that it has checked your e-mail address, and an account "
            "needs one. Make an account with a password, then add this sign-on on the page of your "
            "account."
        )
    with site.database.reading() as session:
        owner = number_with(session, person.email)
    if owner is not None:
        return (
            f"There is an account with the address {person.email}. Its owner alone can add this "
            "sign-on to it: sign in with the password, then add the sign-on on the page of your "
            "account."
        )
    return ""


def make_account_of(
    site: Site, person: ProvedPerson, provider: str, name: str, link: str, old_cookie: str
) -> Signed:
    """Make an account for a person who has none, and begin a session of it.

    It has no password: nobody can sign in with one until its owner sets one.

    Parameters
    ----------
    link : the secret of an invitation; needed unless everybody can make an account.
    """
    name = plain_name(name)
    require_welcome(site, link)
    refusal = refusal_of(site, person)
    if refusal:
        raise Conflict(refusal)
    with site.database.writing(ACCOUNTS) as session:
        if link:
            use_link(session, site, "account", link)
        if _row(session, person) is not None:
            raise Conflict(say("you have an account by now: sign in again"))
        account = add_row(session, site, person.email, name, UNUSABLE)
        _add(session, site, account.id, person)
        mark_checked(session, site, account.id)
        owner = Visitor(account=account.id)
        log(session, site, owner, "account.sign-on", provider=provider, link=bool(link))
        return begin_session(session, site, account, old_cookie, provider=provider)


def own_sign_ons(site: Site, visitor: Visitor) -> list[LinkedSignOn]:
    """By which sign-ons the visitor signs in, the oldest first."""
    number = visitor.require_signed_in()
    visitor.require_scope("read")
    with site.database.reading() as session:
        return _rows(session, number)


def remove_sign_on(site: Site, visitor: Visitor, number: int) -> None:
    """Let a sign-on no longer open the visitor's account; one way to sign in has to stay."""
    account = visitor.require_browser()
    known = {provider.issuer for provider in site.settings.sign_on}
    with site.database.writing(ACCOUNTS) as session:
        rows = _rows(session, account)
        row = next((row for row in rows if row.id == number), None)
        if row is None:
            raise NotThere(say("you have no sign-on %(number)s", number=number))
        has_other = any(row.issuer in known for row in rows if row.id != number)
        if session.get_one(Account, account).password == UNUSABLE and not has_other:
            raise NotAllowed(say("this is your only way to sign in: set a password first"))
        session.delete(row)
        log(session, site, visitor, "sign-on.remove")


def _row(session: Session, person: ProvedPerson) -> LinkedSignOn | None:
    same = LinkedSignOn.issuer == person.issuer, LinkedSignOn.subject == person.subject
    return session.scalars(select(LinkedSignOn).where(*same)).first()


def _rows(session: Session, account: int) -> list[LinkedSignOn]:
    own = select(LinkedSignOn).where(LinkedSignOn.account == account)
    return list(session.scalars(own.order_by(LinkedSignOn.id)))


def _add(session: Session, site: Site, account: int, person: ProvedPerson) -> None:
    session.add(
        LinkedSignOn(
            account=account,
            issuer=person.issuer,
            subject=person.subject,
            email=person.email,
            created=site.clock.now(),
        )
    )
