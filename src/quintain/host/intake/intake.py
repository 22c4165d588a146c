"""Intake: take an upload of a team, or refuse it before anybody has read it.

What decides is the same ``admit`` as on the command line: the rules, the state, the time and the
team's earlier submissions. Uploads that wait for the clerk count as submissions, so nobody can
send more than the quota allows by sending everything at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.contests import Edition
from quintain.errors import QuotaUsed
from quintain.figures.counts import count
from quintain.host.access import Visitor
from quintain.host.database.work import Upload
from quintain.host.queue.jobs import enqueue
from quintain.host.site import Site
from quintain.journal.database_store import DatabaseStore
from quintain.journal.events import Submitted, write_time
from quintain.journal.journal import Journal
from quintain.runs.submissions.admission import Admission, admit


@dataclass(frozen=True, slots=True)
class Taken:
    """An upload that waits for the clerk, and the admission with what is left of the quota."""

    upload: int
    job: int
    admission: Admission


def take(
    site: Site,
    visitor: Visitor,
    edition: str,
    files: Mapping[str, bytes],
    *,
    track: str | None = None,
    kind: str | None = None,
    sample: int | None = None,
) -> Taken:
    """Take the files of a team: upload, quota and job in one transaction.

    Parameters
    ----------
    files : the contents by the names that the sender gave them: one zip, or every file by itself.
    kind : "release" or "guess"; needed only while phases of both kinds are open.
    """
    visitor.require_scope("submit")
    account, team = visitor.require_signed_in(), visitor.team_in(edition)
    arrived = site.clock.now()
    digests = {name: site.uploads.keep(content) for name, content in files.items()}
    rules = site.folder(edition).edition()
    with site.database.writing(edition) as session:
        admission = _admitted(site, session, edition, rules, team, arrived, track, kind)
        _require_few(session, edition, team, site.settings.pending)
        upload = Upload(
            edition=edition,
            team=team,
            account=account,
            track=admission.track.id,
            phase=admission.phase.id,
            kind="program" if admission.program else admission.phase.submit,
            sample=sample,
            arrived=admission.time,
            files=digests,
            size=sum(map(len, files.values())),
        )
        session.add(upload)
        session.flush()
        job = enqueue(
            session,
            edition,
            "clerk",
            "check",
            now=arrived,
            team=team,
            account=account,
            arguments={"upload": upload.id},
        )
        return Taken(upload.id, job.id, admission)


def _admitted(
    site: Site,
    session: Session,
    edition: str,
    rules: Edition,
    team: str,
    now: datetime,
    track: str | None,
    kind: str | None,
) -> Admission:
    store = DatabaseStore(site.database.engine, edition)
    with store.within(session.connection()):
        journal = Journal(store)
        earlier = [*journal.submissions(team), *pending(session, edition, team)]
        moment = journal.time_after(now)
        return admit(rules, journal.state(), earlier, team, moment, track, kind)


def pending(session: Session, edition: str, team: str) -> list[Submitted]:
    """The uploads of a team that wait for the clerk, as the submissions they may become."""
    waiting = select(Upload).where(
        Upload.edition == edition, Upload.team == team, Upload.state == "waiting"
    )
    return [
        Submitted(
            team=team,
            track=one.track,
            phase=one.phase,
            kind=one.kind,
            files={},  # names are known only when somebody has read the zip
            time=write_time(one.arrived),
        )
        for one in session.scalars(waiting.order_by(Upload.id))
    ]


def _require_few(session: Session, edition: str, team: str, most: int) -> None:
    waiting = len(pending(session, edition, team))
    if waiting >= most:
        raise QuotaUsed(
            f"{count(waiting, 'upload')} of team {team} are being checked; wait for them"
        )
