"""Links: invitations and password links, which the site's people send each other.

The secret is in the link alone; the database has its hash. Nothing is used up by looking at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from quintain_host.access import NotThere
from quintain_host.accounts.passwords import hash_secret, new_secret
from quintain_host.database.people import Link
from quintain_host.site import Site

_USED = "this link was used already, or is too old: ask for a new one"


BY_MAIL = "by mail"
"""The note of a link that only the owner of an address has: the site sent it there."""


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link that was just made; its secret is shown this one time."""

    number: int
    secret: str


def make_link(
    session: Session,
    site: Site,
    purpose: str,
    *,
    account: int | None = None,
    edition: str | None = None,
    team: str | None = None,
    note: str = "",
    uses: int = 1,
) -> NewLink:
    """Make a link, in the transaction of the caller, who checks access and writes the log.

    Parameters
    ----------
    purpose : "account" to make an account, "password" to set the password of ``account``,
        "address" to show that its address is right, "team" to join ``team``, "edition" to register
        a team for ``edition``.
    uses : how often it can be used.
    """
    secret, now = new_secret(), site.clock.now()
    link = Link(
        hash=hash_secret(secret),
        purpose=purpose,
        account=account,
        edition=edition,
        team=team,
        note=note,
        left=uses,
        created=now,
        expires=now + timedelta(days=site.settings.link_days),
    )
    session.add(link)
    session.flush()
    return NewLink(link.id, secret)


def look_up(session: Session, site: Site, purpose: str, secret: str) -> Link:
    """A link that can be used now; raises ``NotThere`` for every other one."""
    link = session.scalars(select(Link).where(Link.hash == hash_secret(secret))).first()
    if (
        link is None
        or link.purpose != purpose
        or link.revoked is not None
        or link.left < 1
        or link.expires <= site.clock.now()
    ):
        raise NotThere(_USED)
    return link


def valid_links(session: Session, site: Site, purpose: str, edition: str) -> list[Link]:
    """The links of a contest that can be used now, the oldest first; their secrets are gone."""
    own = select(Link).where(Link.purpose == purpose, Link.edition == edition)
    valid = own.where(Link.revoked.is_(None), Link.left > 0).order_by(Link.id)
    now = site.clock.now()
    return [link for link in session.scalars(valid) if link.expires > now]


def use_link(session: Session, site: Site, purpose: str, secret: str) -> Link:
    """Use a link once, in the transaction of the caller; of two at the same time one is refused."""
    link = look_up(session, site, purpose, secret)
    once = update(Link).where(Link.id == link.id, Link.left > 0).values(left=Link.left - 1)
    if session.execute(once).rowcount != 1:  # type: ignore[attr-defined]
        raise NotThere(_USED)
    session.refresh(link)
    return link


def end_links(session: Session, site: Site, purpose: str, account: int) -> None:
    """End the links of an account for a purpose, in the transaction of the caller."""
    own = update(Link).where(Link.purpose == purpose, Link.account == account)
    valid = own.where(Link.revoked.is_(None))
    session.execute(valid.values(revoked=site.clock.now()))


def set_password_url(site: Site, secret: str) -> str:
    """The link that somebody gets to set a password."""
    return f"{site.settings.url}/set-password/{secret}"


def sign_up_url(site: Site, secret: str) -> str:
    """The link that somebody gets to make an account."""
    return f"{site.settings.url}/sign-up?link={secret}"
