"""Inbox: write a message for everybody whom it concerns, and show people their notices."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from quintain.journal.events import Event
from quintain.wording.languages import say, speaking
from quintain_host.access import NotThere, Visitor
from quintain_host.database.contests import HostedEdition, Member, Organiser, RegisteredTeam
from quintain_host.database.notices import Notice
from quintain_host.database.people import Account
from quintain_host.editions.shown import round_name
from quintain_host.languages.catalogue import DEFAULT
from quintain_host.notices.outbox import send_notice
from quintain_host.notices.words import Message, Wording, message_of, team_of
from quintain_host.site import Site

MOST_SHOWN = 200
"""How many notices a page shows."""


# --- writing, in the transaction of what happened -------------------------------------------------


def notify(
    session: Session,
    site: Site,
    edition: str,
    accounts: Collection[int],
    wording: Wording,
    *,
    cause: str | None = None,
) -> None:
    """Write a message for some people, each in their language, in the transaction of the caller.

    Parameters
    ----------
    wording : writes the message in the language that is spoken.
    cause : what the message is about, if nobody should be told twice.
    """
    languages = languages_of(session, accounts)
    messages = {language: _in(language, wording) for language in set(languages.values())}
    notices = [
        Notice(
            account=account,
            edition=edition,
            kind=message.kind,
            time=site.clock.now(),
            title=message.title,
            text=message.text,
            advice=message.advice,
            place=_place(edition, message),
            cause=cause,
        )
        for account, language in sorted(languages.items())
        for message in [messages[language]]
    ]
    session.add_all(notices)
    session.flush()
    if notices:
        title = session.get_one(HostedEdition, edition).title
        send_notice(session, site, title, notices)


def _message_about(event: Event, where: str) -> Message:
    message = message_of(event, where)
    assert message is not None, "whether an event is told depends on no language"
    return message


def _in(language: str, wording: Wording) -> Message:
    with speaking(language):
        return wording()


def _place(edition: str, message: Message) -> str:
    room = "organise" if message.kind == "organise" else "contests"
    return f"/{room}/{edition}{message.page}"


def languages_of(session: Session, accounts: Collection[int]) -> dict[int, str]:
    """The language in which the site writes to each of some people."""
    rows = session.execute(
        select(Account.id, Account.language).where(Account.id.in_(set(accounts)))
    )
    return {number: language or DEFAULT for number, language in rows}


def notify_of_event(session: Session, site: Site, edition: str, event: Event) -> None:
    """Tell the teams whom an event of the journal concerns, in the transaction that records it."""
    if message_of(event) is not None:
        team = team_of(event)
        people = everybody(session, edition) if team is None else members(session, edition, team)
        track = getattr(event, "track", None)  # not every event is about a round
        where = round_name(site, edition, track) if track else ""
        notify(session, site, edition, people, partial(_message_about, event, where))


def members(session: Session, edition: str, team: str) -> list[int]:
    """The people of a team."""
    own = select(Member.account).where(Member.edition == edition, Member.team == team)
    return list(session.scalars(own))


def everybody(session: Session, edition: str) -> list[int]:
    """The people of all teams that take part, or will."""
    joined = (
        select(Member.account)
        .join(
            RegisteredTeam,
            (RegisteredTeam.edition == Member.edition) & (RegisteredTeam.id == Member.team),
        )
        .where(Member.edition == edition, RegisteredTeam.state.in_(("joining", "joined")))
    )
    return list(session.scalars(joined))


def organisers(session: Session, edition: str) -> list[int]:
    """The organisers of a contest."""
    return list(session.scalars(select(Organiser.account).where(Organiser.edition == edition)))


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice with the title of its contest."""

    notice: Notice
    contest: str


def unread_count(site: Site, visitor: Visitor) -> int:
    """How many notices the visitor has not read."""
    if visitor.account is None:
        return 0
    unread = select(func.count()).where(Notice.account == visitor.account, Notice.read.is_(None))
    with site.database.reading() as session:
        return session.scalar(unread) or 0


def notices_of(
    site: Site, visitor: Visitor, edition: str = "", *, unread: bool = False
) -> list[ShownNotice]:
    """The visitor's notices, the newest first; of one contest, or of all."""
    account = visitor.require_signed_in()
    visitor.require_scope("read")
    own = (
        select(Notice, HostedEdition.title)
        .outerjoin(HostedEdition, HostedEdition.id == Notice.edition)
        .where(Notice.account == account)
    )
    if edition:
        own = own.where(Notice.edition == edition)
    if unread:
        own = own.where(Notice.read.is_(None))
    with site.database.reading() as session:
        rows = session.execute(own.order_by(Notice.id.desc()).limit(MOST_SHOWN)).all()
    return [ShownNotice(notice, title or "") for notice, title in rows]


def mark_read(site: Site, visitor: Visitor, number: int | None = None) -> None:
    """Note that the visitor has read one notice, or all."""
    account = visitor.require_signed_in()
    visitor.require_scope("read")
    own = update(Notice).where(Notice.account == account)
    with site.database.writing("notices") as session:
        if number is not None:
            notice = session.get(Notice, number)
            if notice is None or notice.account != account:
                raise NotThere(say("you have no notice %(number)s", number=number))
            own = own.where(Notice.id == number)
        session.execute(own.where(Notice.read.is_(None)).values(read=site.clock.now()))
