"""Settings of a contest: who sees it, registers and organises, its call and its news."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.wording.languages import tell
from quintain_host.access import Conflict, NotThere, Visitor
from quintain_host.accounts.names import BadName, email_address
from quintain_host.audit_log import log
from quintain_host.database.contests import HostedEdition, Member, News, Organiser
from quintain_host.database.people import Account
from quintain_host.languages.catalogue import LANGUAGES
from quintain_host.notices.inbox import everybody, notify
from quintain_host.notices.words import news_published
from quintain_host.site import Site
from quintain_host.teams.registration import remember_insider

REGISTRATIONS = ("open", "approval", "invitation", "closed")
LONGEST_CALL = 20_000


def change_settings(site: Site, visitor: Visitor, edition: str, **values: Any) -> HostedEdition:
    """Change some settings; what is not named stays as it is.

    Parameters
    ----------
    values : ``visible``, ``registration``, ``team_size``, ``max_teams``, ``language``,
        ``organisers`` or ``call``; None lifts a limit.
    """
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get_one(HostedEdition, edition)
        if values.get("visible") and row.state == "draft":
            raise Conflict(tell("a draft is shown to nobody; fix the rules first"))
        for name, value in values.items():
            setattr(row, name, _check_value(name, value))
        shown = {name: value for name, value in values.items() if name != "call"}
        log(session, site, visitor, "edition.settings", edition, changed=sorted(values), **shown)
        return row


def _check_value(name: str, value: Any) -> Any:
    match name:
        case "visible":
            return bool(value)
        case "registration":
            return _registration(str(value))
        case "team_size" | "max_teams":
            return _limit(name, value)
        case "language":
            return _language(value)
        case "organisers":
            return _organisers_name(str(value))
        case "call":
            return _call(str(value))
    raise Refused(tell("%(name)s is not a setting of a contest", name=name))


def _registration(mode: str) -> str:
    if mode not in REGISTRATIONS:
        raise Refused(tell("registration is one of: %(names)s", names=", ".join(REGISTRATIONS)))
    return mode


def _limit(name: str, value: int | None) -> int | None:
    if value is not None and not 1 <= value <= 10_000:
        problem = tell(
            "%(name)s: choose a number from 1 to 10000, or none", name=name.replace("_", " ")
        )
        raise Refused(problem).about(name)
    return value


def _language(code: str | None) -> str | None:
    if code is not None and code not in LANGUAGES:
        raise Refused(tell("language is one of: %(names)s", names=", ".join(LANGUAGES))).about(
            "language"
        )
    return code


def _organisers_name(text: str) -> str:
    name = " ".join(text.split())
    if len(name) > LONGEST_TITLE or not name.isprintable():
        problem = tell(
            "choose a name of at most %(most)s characters that can be printed",
            most=LONGEST_TITLE,
        )
        raise Refused(problem).about("organisers")
    return name


def _call(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_CALL:
        problem = tell(
            "the call has %(n)s characters; the limit is %(most)s", n=len(text), most=LONGEST_CALL
        )
        raise Refused(problem).about("call")
    return plain_text(text)


def plain_text(text: str) -> str:
    """A text of several lines that any page can show; raises for control characters."""
    if not all(char.isprintable() or char in "\n\t" for char in text):
        raise Refused(tell("the text has a character that cannot be printed")).about("text")
    return text


LONGEST_TITLE = 200
LONGEST_NEWS = 10_000


def publish_news(site: Site, visitor: Visitor, edition: str, title: str, text: str) -> int:
    """Publish a piece of news; returns its number."""
    visitor.require_organiser(edition)
    title, text = " ".join(title.split()), text.replace("\r\n", "\n").strip()
    if not title or len(title) > LONGEST_TITLE:
        raise Refused(
            tell(
                "news need a title of 1 to %(most)s characters",
                most=LONGEST_TITLE,
            )
        ).about("title")
    if len(text) > LONGEST_NEWS:
        problem = tell(
            "the text has %(n)s characters; the limit is %(most)s", n=len(text), most=LONGEST_NEWS
        )
        raise Refused(problem).about("text")
    with site.database.writing(edition) as session:
        row = News(
            edition=edition,
            time=site.clock.now(),
            title=plain_text(title),
            text=plain_text(text),
        )
        session.add(row)
        session.flush()
        people = everybody(session, edition)
        notify(session, site, edition, people, partial(news_published, row.title, row.text))
        log(session, site, visitor, "news.publish", edition, news=row.id, title=title)
        return row.id


def withdraw_news(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Take a piece of news back; the audit log still has its title."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get(News, number)
        if row is None or row.edition != edition:
            raise NotThere(tell("there is no such piece of news"))
        session.delete(row)
        log(session, site, visitor, "news.withdraw", edition, news=number, title=row.title)


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """An organiser, as others see them."""

    account: int
    name: str


def organisers_of(site: Site, visitor: Visitor, edition: str) -> list[NamedPerson]:
    """Who organises an edition."""
    _require(visitor, edition)
    with site.database.reading() as session:
        rows = session.execute(
            select(Account.id, Account.name)
            .join(Organiser, Organiser.account == Account.id)
            .where(Organiser.edition == edition)
            .order_by(Account.id)
        )
        return [NamedPerson(*row) for row in rows]


def contests_of_others(site: Site, visitor: Visitor) -> list[HostedEdition]:
    """The contests that an operator does not organise."""
    visitor.require_operator()
    with site.database.reading() as session:
        every = session.scalars(select(HostedEdition).order_by(HostedEdition.created.desc()))
        return [edition for edition in every if not visitor.organises_edition(edition.id)]


def name_organiser(site: Site, visitor: Visitor, edition: str, email: str) -> NamedPerson:
    """Let the person with an e-mail address organise an edition; only operators can do that."""
    visitor.require_operator()
    with site.database.writing(edition) as session:
        if session.get(HostedEdition, edition) is None:
            raise NotThere(tell("there is no contest %(edition)s here", edition=repr(edition)))
        account = _account(session, email)
        member = session.get(Member, (edition, account.id))
        if member is not None:
            problem = tell(
                "%(name)s is in team %(team)s and cannot see its secrets",
                name=account.name,
                team=member.team,
            )
            raise Refused(problem).about("email")
        if session.get(Organiser, (edition, account.id)) is None:
            session.add(Organiser(edition=edition, account=account.id))
            log(session, site, visitor, "organiser.add", edition, person=account.id)
        return NamedPerson(account.id, account.name)


def remove_organiser(site: Site, visitor: Visitor, edition: str, account: int) -> None:
    """A person no longer organises an edition; one organiser has to stay."""
    visitor.require_operator()
    with site.database.writing(edition) as session:
        row = session.get(Organiser, (edition, account))
        if row is None:
            raise NotThere(tell("this person does not organise the contest"))
        others = select(Organiser.account).where(
            Organiser.edition == edition, Organiser.account != account
        )
        if session.scalars(others).first() is None:
            raise Refused(tell("a contest needs an organiser; name another one first"))
        session.delete(row)
        remember_insider(session, edition, account, None)
        log(session, site, visitor, "organiser.remove", edition, person=account)


def _account(session: Session, email: str) -> Account:
    try:
        known = select(Account).where(Account.email == email_address(email))
    except BadName as problem:
        raise NotThere(problem.say()).about("email") from problem
    account = session.scalars(known).first()
    if account is None or account.disabled is not None:
        raise NotThere(tell("nobody has an account with this e-mail address")).about("email")
    return account


def _require(visitor: Visitor, edition: str) -> None:
    if visitor.runs_site:
        visitor.require_operator()
    else:
        visitor.require_organiser(edition)
