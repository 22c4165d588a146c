"""Re-judging: judge a contest a second time beside the first, look at the difference, then decide.

A worker scores a copy of the edition folder from nothing, if wanted under other rules. Teams and
the public see nothing of it until it is applied. The difference stays in the database.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.host.access import NotThere, Visitor
from quintain.host.audit_log import log
from quintain.host.database.contests import Rejudging
from quintain.host.editions.shown_rules import contest_state
from quintain.host.organising.changes import checked_rules
from quintain.host.organising.steps import require_fixed
from quintain.host.queue.jobs import enqueue
from quintain.host.refusals import Conflict
from quintain.host.site import Site
from quintain.journal.state import require_running
from quintain.runs.organising.amend import checked_reason


def start(site: Site, visitor: Visitor, edition: str, reason: str, text: str = "") -> int:
    """Ask for a second judgement; returns its number.

    Parameters
    ----------
    text : the edition file of the rules to try; empty means the rules in force.
    """
    account = visitor.require_organiser(edition)
    reason = checked_reason(reason)
    if text.strip():
        require_running(contest_state(site, edition))
        checked_rules(site, edition, text)
    with site.database.writing(edition) as session:
        require_fixed(session, edition)
        row = Rejudging(
            edition=edition,
            toml=text if text.strip() else "",
            reason=reason,
            difference={},
            created=site.clock.now(),
        )
        session.add(row)
        session.flush()
        _enqueue(session, site, row, "rejudge", account)
        log(session, site, visitor, "rejudging.start", edition, rejudging=row.id, reason=reason)
        return row.id


def rejudgings(site: Site, visitor: Visitor, edition: str) -> list[Rejudging]:
    """All second judgements of a contest, the newest first."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        own = select(Rejudging).where(Rejudging.edition == edition)
        return list(session.scalars(own.order_by(Rejudging.id.desc())))


def rejudging(site: Site, visitor: Visitor, edition: str, number: int) -> Rejudging:
    """One second judgement, with the difference that it would make."""
    visitor.require_organiser(edition)
    with site.database.reading() as session:
        return _row(session, edition, number)


def apply(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Make a second judgement the one that counts; after the reveal, the results are final."""
    account = visitor.require_organiser(edition)
    if contest_state(site, edition).revealed is not None:
        raise Conflict("the results are final: their hash was published with the reveal")
    with site.database.writing(edition) as session:
        row = _row(session, edition, number)
        if row.state != "ready":
            raise Conflict(f"this second judgement is {row.state}; only one that is ready applies")
        row.state = "applying"
        _enqueue(session, site, row, "apply-rejudging", account)
        log(session, site, visitor, "rejudging.apply", edition, rejudging=number)


def drop(site: Site, visitor: Visitor, edition: str, number: int) -> None:
    """Forget a second judgement; what it would have changed stays readable."""
    account = visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = _row(session, edition, number)
        if row.state not in ("waiting", "ready", "failed"):
            raise Conflict(f"this second judgement is {row.state} and cannot be dropped")
        row.state = "dropped"
        _enqueue(session, site, row, "drop-rejudging", account)
        log(session, site, visitor, "rejudging.drop", edition, rejudging=number)


def _enqueue(session: Session, site: Site, row: Rejudging, kind: str, account: int) -> None:
    enqueue(
        session,
        row.edition,
        "scoring",
        kind,
        now=site.clock.now(),
        account=account,
        arguments={"rejudging": row.id},
    )


def _row(session: Session, edition: str, number: int) -> Rejudging:
    row = session.get(Rejudging, number)
    if row is None or row.edition != edition:
        raise NotThere("there is no such second judgement")
    return row
