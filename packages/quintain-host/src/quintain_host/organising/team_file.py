"""Team file: what organisers see of one team; every look stands in the audit log.

Organisers know all secrets of a contest, so they may read what teams submitted. Others should be
able to see that they did.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.wording.languages import tell
from quintain_host.access import NotThere, Visitor
from quintain_host.audit_log import log
from quintain_host.database.contests import Member, RegisteredTeam
from quintain_host.database.people import Account
from quintain_host.database.work import Upload
from quintain_host.site import Site


@dataclass(frozen=True, slots=True)
class Reachable:
    """A member of a team, with the address."""

    name: str
    email: str
    captain: bool


@dataclass(frozen=True, slots=True)
class TeamFileView:
    """The people of a team and everything that it sent, the newest first."""

    people: tuple[Reachable, ...]
    uploads: tuple[Upload, ...]


def look_at_team(site: Site, visitor: Visitor, edition: str, team: str) -> TeamFileView:
    """The people of a team, how to reach them, and its uploads; the look is recorded."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        if session.get(RegisteredTeam, (edition, team)) is None:
            raise NotThere(tell("there is no team %(team)s", team=repr(team)))
        view = TeamFileView(_people(session, edition, team), _uploads(session, edition, team))
        log(session, site, visitor, "team.look", edition, team=team)
    return view


def look_at_upload(
    site: Site, visitor: Visitor, edition: str, team: str, number: int, name: str
) -> bytes:
    """A file of an upload as it came; the look is recorded."""
    visitor.require_organiser(edition)
    with site.database.writing(edition) as session:
        row = session.get(Upload, number)
        if row is None or (row.edition, row.team) != (edition, team) or name not in row.files:
            raise NotThere(tell("the team sent no such file"))
        digest = str(row.files[name])
        log(session, site, visitor, "upload.look", edition, team=team, upload=number, file=name)
    try:
        return site.uploads.read(digest)
    except OSError:
        raise NotThere(tell("the file is not kept any more: the upload did not count")) from None


def _people(session: Session, edition: str, team: str) -> tuple[Reachable, ...]:
    rows = session.execute(
        select(Account.name, Account.email, Member.captain)
        .join(Member, Member.account == Account.id)
        .where(Member.edition == edition, Member.team == team)
        .order_by(Member.captain.desc(), Account.name, Account.id)
    )
    return tuple(Reachable(*row) for row in rows)


def _uploads(session: Session, edition: str, team: str) -> tuple[Upload, ...]:
    own = select(Upload).where(Upload.edition == edition, Upload.team == team)
    return tuple(session.scalars(own.order_by(Upload.id.desc())))
