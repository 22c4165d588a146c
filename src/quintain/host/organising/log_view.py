"""Log view: what people did in a contest, for its organisers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from quintain.host.access import Visitor
from quintain.host.database.people import Account
from quintain.host.database.work import LogLine
from quintain.host.site import Site

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Action:
    """One line of the audit log, in words."""

    number: int
    time: datetime
    person: str
    action: str
    details: str


def actions_of(
    site: Site, visitor: Visitor, edition: str, *, before: int | None = None
) -> list[Action]:
    """The newest lines about a contest; ``before`` goes back to those before a number."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        own = select(LogLine).where(LogLine.edition == edition)
        if before is not None:
            own = own.where(LogLine.number < before)
        lines = session.scalars(own.order_by(LogLine.number.desc()).limit(AT_ONCE)).all()
        people = {line.account for line in lines if line.account is not None}
        names: dict[int, str] = {
            number: str(name)
            for number, name in session.execute(
                select(Account.id, Account.name).where(Account.id.in_(people))
            )
        }
    return [_action(line, names) for line in lines]


def _action(line: LogLine, names: dict[int, str]) -> Action:
    person = "the site" if line.account is None else names.get(line.account, "somebody")
    return Action(line.number, line.time, person, line.action, _words(line.details.items()))


def _words(details: Iterable[tuple[str, object]]) -> str:
    """Details as a text; what says nothing is left out."""
    return ", ".join(f"{name}: {value}" for name, value in details if value not in (None, "", []))
