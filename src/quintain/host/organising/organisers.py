"""Organisers: the people who act for a contest; operators and organisers name them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.errors import Refused
from quintain.host.access import NotThere, Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import HostedEdition, Member, Organiser
from quintain.host.database.people import Account
from quintain.host.site import Site
from quintain.host.teams.registration import remember_insider


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
        return [one for one in every if not visitor.organises_edition(one.id)]


def name_organiser(site: Site, visitor: Visitor, edition: str, email: str) -> NamedPerson:
    """Let the person with an e-mail address organise an edition; only operators can do that."""
    visitor.require_operator()
    with site.database.writing(edition) as session:
        if session.get(HostedEdition, edition) is None:
            raise NotThere(f"there is no contest {edition!r} here")
        account = _account(session, email)
        member = session.get(Member, (edition, account.id))
        if member is not None:
            raise Refused(f"{account.name} is in team {member.team} and cannot see its secrets")
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
            raise NotThere("this person does not organise the contest")
        others = select(Organiser.account).where(
            Organiser.edition == edition, Organiser.account != account
        )
        if session.scalars(others).first() is None:
            raise Refused("a contest needs an organiser; name another one first")
        session.delete(row)
        remember_insider(session, edition, account, None)
        log(session, site, visitor, "organiser.remove", edition, person=account)


def _account(session: Session, email: str) -> Account:
    known = select(Account).where(Account.email == email.strip().lower())
    account = session.scalars(known).first()
    if account is None or account.disabled is not None:
        raise NotThere("nobody has an account with this e-mail address")
    return account


def _require(visitor: Visitor, edition: str) -> None:
    if not visitor.operator:
        visitor.require_organiser(edition)
