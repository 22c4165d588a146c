"""Outbox: letters on their way, each claimed by one worker, and tried until it is delivered.

A letter is a row that is written in the transaction of what it tells about. A claim raises its
attempt, so of two workers one sends it. A server that is down makes letters wait longer and longer;
none is lost until it is five days old. A worker that dies in the middle of a letter leaves its
claim behind, which ends after ``LEASE``; the letter is then sent again under the same number, so
that the server or the program behind a webhook can drop a copy.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from quintain.journal.events import write_time
from quintain.wording.languages import speaking
from quintain_host.accounts.links import BY_MAIL, make_link
from quintain_host.database.notices import Contact, Letter, Notice
from quintain_host.database.people import Account, Link
from quintain_host.languages.catalogue import DEFAULT
from quintain_host.notices.contacts import contact_row, unsubscribe_url
from quintain_host.notices.mail import Mail, ServerAway, send_mail
from quintain_host.notices.webhook import NotDelivered, Undeliverable, post, sign_body
from quintain_host.notices.words import KINDS
from quintain_host.site import Site

LOG = logging.getLogger("quintain_host.outbox")

Channel = Literal["mail", "webhook"]
CHANNELS: tuple[Channel, ...] = ("mail", "webhook")

LEASE = timedelta(minutes=15)
"""How long a claim holds; no attempt takes so long."""

FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
OLDEST = timedelta(days=5)
"""After how long a letter is given up."""

_KEPT = timedelta(days=30)
"""For how long letters that were sent are remembered."""

_LETTERS = "letters"
"""The name under which those who change letters wait for each other."""


# --- putting letters in, in the transaction of what they tell about -------------------------------


@dataclass(frozen=True, slots=True)
class LinkToMake:
    """A link in a letter, made when the letter is sent, so that its secret is stored nowhere.

    Parameters
    ----------
    purpose, account, edition, team : see :func:`quintain_host.accounts.links.make_link`.
    path : where it leads; ``{}`` stands for the secret.
    hours : how long it is valid from then on; by default as other links of the site.
    """

    purpose: str
    path: str
    account: int | None = None
    edition: str | None = None
    team: str | None = None
    hours: float | None = None

    def plain(self) -> dict[str, Any]:
        """The link as the row of its letter has it."""
        return {name: getattr(self, name) for name in self.__slots__}


def send_letter(
    session: Session,
    site: Site,
    subject: str,
    paragraphs: Sequence[str | LinkToMake],
    *,
    kind: str,
    account: int | None = None,
    address: str = "",
    edition: str | None = None,
    team: str | None = None,
) -> None:
    """Send a mail that is not a notice, such as a link for a new password; not without a server."""
    if site.settings.mail is None:
        return
    now = site.clock.now()
    plain = [part if isinstance(part, str) else part.plain() for part in paragraphs]
    session.add(
        Letter(
            channel="mail",
            account=account,
            address=address,
            edition=edition,
            team=team,
            kind=kind,
            subject=subject,
            paragraphs=plain,
            created=now,
            not_before=now,
        )
    )
    session.flush()


def send_notice(session: Session, site: Site, contest: str, notices: Sequence[Notice]) -> None:
    """Send notices to those of their owners who want them outside the site, too."""
    numbers = [notice.account for notice in notices]
    rows = session.scalars(select(Contact).where(Contact.account.in_(numbers)))
    contacts = {contact.account: contact for contact in rows}
    for notice in notices:
        contact = contacts.get(notice.account)
        if contact is not None:
            ways = _channels(site, contact, notice.kind)
            session.add_all(_letter(notice, contest, way) for way in ways)
    session.flush()


def _channels(site: Site, contact: Contact, kind: str) -> list[Channel]:
    """How a person wants notices of a kind."""
    ways: list[Channel] = []
    reachable = site.settings.mail is not None and contact.checked is not None
    if reachable and kind not in contact.muted:
        ways.append("mail")
    if site.settings.webhooks and contact.webhook:
        ways.append("webhook")
    return ways


def _letter(notice: Notice, contest: str, channel: Channel) -> Letter:
    subject = f"{contest}: {notice.title}" if channel == "mail" else notice.title
    return Letter(
        channel=channel,
        account=notice.account,
        edition=notice.edition,
        kind=notice.kind,
        subject=subject,
        paragraphs=[text for text in (notice.text, notice.advice) if text],
        place=notice.place,
        created=notice.time,
        not_before=notice.time,
    )


# --- claims ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parcel:
    """A letter in the hands of a worker, with everything that it needs to be sent."""

    letter: int
    attempt: int
    channel: Channel
    send: Callable[[], None]


def deliver_next(site: Site, channel: Channel) -> bool:
    """Try to deliver the next letter of a channel; False if none is due."""
    now, database = site.clock.now(), site.database
    due = select(Letter.id, Letter.attempt).where(
        Letter.state == "waiting", Letter.channel == channel, Letter.not_before <= now
    )
    with database.reading() as session:  # most of the time there is nothing, and no need to lock
        row = session.execute(due.order_by(Letter.not_before, Letter.id).limit(1)).first()
    if row is None:
        return False
    parcel = _claim(site, row.id, row.attempt)
    if parcel is not None:
        _deliver(site, parcel)
    return True


def _claim(site: Site, number: int, attempt: int) -> Parcel | None:
    """Take a letter; None if another worker was quicker, or nobody wants it any more."""
    now = site.clock.now()
    with site.database.writing(_LETTERS) as session:
        if not _change(session, number, attempt, attempt=attempt + 1, not_before=now + LEASE):
            return None
        letter = session.get_one(Letter, number)
        why = _why_not(session, letter)
        if why:
            letter.state, letter.reason, letter.ended = "dropped", why, now
            return None
        make = _make_mail if letter.channel == "mail" else _make_request
        send = make(session, site, letter)
        channel: Channel = "mail" if letter.channel == "mail" else "webhook"
        return Parcel(number, letter.attempt, channel, send)


def _change(session: Session, number: int, attempt_now: int, **values: Any) -> bool:
    """Change a letter that still waits under this attempt; False if somebody else has it."""
    change = update(Letter).where(
        Letter.id == number, Letter.attempt == attempt_now, Letter.state == "waiting"
    )
    return session.execute(change.values(**values)).rowcount == 1  # type: ignore[attr-defined,no-any-return]


def _why_not(session: Session, letter: Letter) -> str:
    """Why a letter is not to be sent any more; empty if it is."""
    if letter.account is None:
        return ""
    if session.get_one(Account, letter.account).disabled is not None:
        return "the account is disabled"
    contact = session.get(Contact, letter.account)
    if letter.channel == "webhook":
        return "" if contact is not None and contact.webhook else "there is no webhook any more"
    return "unsubscribed" if contact is not None and letter.kind in contact.muted else ""


def _make_mail(session: Session, site: Site, letter: Letter) -> Callable[[], None]:
    to, unsubscribe, language = letter.address, "", DEFAULT
    if letter.account is not None:
        account = session.get_one(Account, letter.account)
        to, language = account.email, account.language or DEFAULT
        if letter.kind in KINDS:
            contact = contact_row(session, letter.account)
            unsubscribe = unsubscribe_url(site, contact, letter.kind)
    paragraphs = _with_links(session, site, letter)
    if letter.place:
        paragraphs.append(f"{site.settings.url}{letter.place}")
    mail = Mail(letter.id, letter.created, to, letter.subject, paragraphs, unsubscribe)

    def send() -> None:
        with speaking(language):
            send_mail(site.settings, mail)

    return send


def _with_links(session: Session, site: Site, letter: Letter) -> list[str]:
    """The paragraphs of a letter, with new links; those of an earlier attempt end."""
    earlier = update(Link).where(Link.id.in_(letter.links)).values(revoked=site.clock.now())
    session.execute(earlier.execution_options(synchronize_session=False))
    numbers, texts = [], []
    for paragraph in letter.paragraphs:
        if isinstance(paragraph, str):
            texts.append(paragraph)
            continue
        wanted = LinkToMake(**paragraph)
        link = make_link(
            session,
            site,
            wanted.purpose,
            account=wanted.account,
            edition=wanted.edition,
            team=wanted.team,
            note=BY_MAIL,
        )
        if wanted.hours is not None:
            expires = site.clock.now() + timedelta(hours=wanted.hours)
            session.get_one(Link, link.number).expires = expires
        numbers.append(link.number)
        texts.append(site.settings.url + wanted.path.replace("{}", link.secret))
    letter.links = numbers
    return texts


def _make_request(session: Session, site: Site, letter: Letter) -> Callable[[], None]:
    contact = session.get_one(Contact, letter.account)
    content = {
        "id": letter.id,
        "site": site.settings.url,
        "contest": letter.edition,
        "kind": letter.kind,
        "time": write_time(letter.created),
        "title": letter.subject,
        "text": "\n\n".join(map(str, letter.paragraphs)),
        "link": f"{site.settings.url}{letter.place}",
    }
    signed = sign_body(
        contact.webhook_key,
        json.dumps(content, sort_keys=True).encode(),
        delivery=str(letter.id),
        time=int(site.clock.now().timestamp()),
    )
    url = contact.webhook
    return lambda: post(url, signed)


# --- endings --------------------------------------------------------------------------------------


def _deliver(site: Site, parcel: Parcel) -> None:
    values: dict[str, Any] = {"state": "sent", "address": "", "reason": ""}
    away = False
    try:
        parcel.send()
    except Undeliverable as problem:
        values = {"state": "failed", "address": "", "reason": str(problem)}
    except NotDelivered as problem:
        values, away = {"reason": str(problem)}, isinstance(problem, ServerAway)
    now = site.clock.now()
    with site.database.writing(_LETTERS) as session:
        letter = session.get_one(Letter, parcel.letter)
        if "state" in values:
            values["ended"] = now
        elif now - letter.created > OLDEST:
            values |= {"state": "failed", "address": "", "ended": now}
        else:
            values["not_before"] = now + wait_after(parcel.attempt)
        _change(session, parcel.letter, parcel.attempt, **values)
        if away:  # the others need not find out one by one
            _hold_back(session, parcel.channel, now)
    if values["reason"]:
        facts = {"letter": parcel.letter, "attempt": parcel.attempt}
        LOG.warning("a letter was not delivered: %s", values["reason"], extra=facts)


def wait_after(attempt: int) -> timedelta:
    """How long a letter waits after an attempt that failed: each time twice as long.

    >>> [wait_after(attempt) for attempt in (1, 2, 30)] == [
    ...     timedelta(minutes=1), timedelta(minutes=2), timedelta(hours=6)]
    True
    """
    doublings = min(max(attempt - 1, 0), 20)
    return min(FIRST_WAIT * (1 << doublings), LONGEST_WAIT)


def _hold_back(session: Session, channel: str, now: datetime) -> None:
    soon = now + FIRST_WAIT
    early = (Letter.state == "waiting", Letter.channel == channel, Letter.not_before < soon)
    session.execute(update(Letter).where(*early).values(not_before=soon))


def forget_letters(site: Site) -> None:
    """Remove letters that were delivered or given up long ago."""
    old = site.clock.now() - _KEPT
    with site.database.writing(_LETTERS) as session:
        ended = select(Letter).where(Letter.ended.is_not(None), Letter.ended < old)
        for letter in session.scalars(ended):
            session.delete(letter)
