"""Contacts: how the site reaches a person, and the signed links that people keep.

A link to unsubscribe or to a calendar is used for as long as its owner likes, so it is signed: a
key of the person's row signs what the link is for. A new key ends all of them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection

from sqlalchemy.orm import Session

from quintain.wording.languages import say
from quintain_host.access import BadInput, NotThere, Visitor
from quintain_host.accounts.links import look_up, use_link
from quintain_host.accounts.passwords import new_secret
from quintain_host.audit_log import log
from quintain_host.database.notices import Contact
from quintain_host.database.people import ACCOUNTS, Account
from quintain_host.notices.webhook import checked_url
from quintain_host.notices.words import KINDS
from quintain_host.site import Site

ALL = "all"
"""Stands for every kind of notice in a link to unsubscribe."""


def contact_row(session: Session, account: int) -> Contact:
    """The row of a person, which is made if it is missing; in the transaction of the caller."""
    row = session.get(Contact, account)
    if row is None:
        row = Contact(account=account, key=new_secret(), muted=[], webhook="", webhook_key="")
        session.add(row)
        session.flush()
    return row


def own_contact(site: Site, visitor: Visitor) -> Contact:
    """How the site reaches the visitor."""
    account = visitor.require_browser()
    with site.database.reading() as session:
        row = session.get(Contact, account)
    if row is None:
        with site.database.writing(ACCOUNTS) as session:
            row = contact_row(session, account)
    return row


def choose_mails(site: Site, visitor: Visitor, kinds: Collection[str]) -> None:
    """Set the kinds of notices that the visitor wants mail about."""
    account = visitor.require_browser()
    unknown = sorted(set(kinds) - set(KINDS))
    if unknown:
        raise BadInput(say("there are no notices of the kind %(unknown)r", unknown=unknown[0]))
    with site.database.writing(ACCOUNTS) as session:
        contact_row(session, account).muted = sorted(set(KINDS) - set(kinds))
        log(session, site, visitor, "contact.mails", kinds=sorted(kinds))


def choose_webhook(site: Site, visitor: Visitor, url: str) -> None:
    """Set where a program of the visitor gets notices; each address has a key of its own."""
    account = visitor.require_browser()
    if not site.settings.webhooks:
        raise BadInput(say("this site sends no webhooks"))
    url = url.strip()
    if url:
        checked_url(url)
    with site.database.writing(ACCOUNTS) as session:
        row = contact_row(session, account)
        if url != row.webhook:
            row.webhook, row.webhook_key = url, new_secret() if url else ""
        log(session, site, visitor, "contact.webhook", on=bool(url))


def renew_key(site: Site, visitor: Visitor) -> None:
    """End all links to unsubscribe and to calendars that the visitor has; new ones are made."""
    account = visitor.require_browser()
    with site.database.writing(ACCOUNTS) as session:
        contact_row(session, account).key = new_secret()
        log(session, site, visitor, "contact.renew-key")


def check_address(site: Site, secret: str) -> None:
    """Note that the owner of an address has it; a link in a mail to it brought the secret."""
    with site.database.writing(ACCOUNTS) as session:
        link = use_link(session, site, "address", secret)
        mark_checked(session, site, int(link.account or 0))
        log(session, site, Visitor(account=link.account), "account.check-address", link=link.id)


def require_check_link(site: Site, secret: str) -> None:
    """Refuse a link that was used already, or is too old."""
    with site.database.reading() as session:
        look_up(session, site, "address", secret)


def mark_checked(session: Session, site: Site, account: int) -> None:
    """Note that a person reads the mail of the account's address."""
    row = contact_row(session, account)
    row.checked = row.checked or site.clock.now()


# --- signed links ---------------------------------------------------------------------------------


def sign_purpose(contact: Contact, purpose: str) -> str:
    """A text that names a person and a purpose, and that nobody else can make."""
    name = f"{contact.account}.{purpose}"
    return f"{name}.{hmac.new(contact.key.encode(), name.encode(), hashlib.sha256).hexdigest()}"


def contact_behind(session: Session, text: str, purposes: Collection[str]) -> tuple[Contact, str]:
    """The person and the purpose that a signed text names; raises for every other text."""
    number, purpose = [*text.split("."), "", ""][:2]
    if number.isascii() and number.isdecimal() and len(number) < 10 and purpose in purposes:
        contact = session.get(Contact, int(number))
        if contact is not None and _is_same(sign_purpose(contact, purpose), text):
            account = session.get_one(Account, contact.account)
            if account.disabled is None:
                return contact, purpose
    raise NotThere(say("this link is not valid any more; your account page has the newest one"))


def _is_same(right: str, given: str) -> bool:
    return hmac.compare_digest(right.encode(), given.encode(errors="replace"))


def unsubscribe_url(site: Site, contact: Contact, kind: str) -> str:
    """The link of a mail with which its reader wants no more of its kind."""
    return f"{site.settings.url}/unsubscribe/{sign_purpose(contact, kind)}"


def subscription_behind(site: Site, text: str) -> str:
    """The kind of mails that a link is about."""
    with site.database.reading() as session:
        return contact_behind(session, text, {*KINDS, ALL})[1]


def unsubscribe(site: Site, text: str, *, everything: bool = False) -> None:
    """Send a person no more mail of a kind, or of any kind."""
    with site.database.writing(ACCOUNTS) as session:
        contact, kind = contact_behind(session, text, {*KINDS, ALL})
        muted = set(KINDS) if everything or kind == ALL else {*contact.muted, kind}
        contact.muted = sorted(muted)
        log(session, site, Visitor(account=contact.account), "contact.unsubscribe", kind=kind)
