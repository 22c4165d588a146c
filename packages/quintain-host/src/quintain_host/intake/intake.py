"""Intake: take an upload of a team, or refuse it before anybody has read it.

What decides is the same ``admit`` as on the command line: the rules, the state, the time and the
team's earlier submissions. Uploads that wait for a worker count as submissions, so nobody can
send more than the quota allows by sending everything at once.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.contests import Edition
from quintain.errors import QuotaUsed
from quintain.figures.format import count
from quintain.journal.database_store import DatabaseStore
from quintain.journal.events import Submitted, write_time
from quintain.journal.journal import Journal
from quintain.journal.state import require_running
from quintain.runs.folder.closings import last_closing_time
from quintain.runs.submissions.admission import Admission, admit, expect
from quintain.wording.languages import say
from quintain_host.access import Visitor
from quintain_host.database.contests import KEPT_CONTENTS
from quintain_host.database.work import Upload
from quintain_host.editions.shown import shown_rules
from quintain_host.programs.workers import require_program_worker
from quintain_host.queue import enqueue
from quintain_host.site import Site
from quintain_host.uploads import NEEDED

# Trials: a team lets the judge check its files without submitting them.
#
# A trial costs no attempt and enters no journal. It finds faults and measures nothing: a number
# that a team can ask for as often as it likes would tell more than the feedback of the contest
# allows.


MOST_WAITING = 2
MOST_PER_HOUR = 30

_STATES = ("trying", "valid", "invalid")


def require_trial(session: Session, admission: Admission, edition: str) -> None:
    """Refuse a trial where no submission is possible, or the team made too many."""
    require_running(admission.state)
    for obstacle in admission.obstacles():
        if not isinstance(obstacle, QuotaUsed):
            raise obstacle
    own = (Upload.edition == edition, Upload.team == admission.team, Upload.state.in_(_STATES))
    waiting = session.scalar(select(func.count()).where(*own, Upload.state == "trying")) or 0
    if waiting >= MOST_WAITING:
        raise QuotaUsed(
            say(
                "%(waiting)s trials of team %(team)s wait; try again later",
                waiting=waiting,
                team=admission.team,
            )
        )
    hour = Upload.arrived > admission.time - timedelta(hours=1)
    made = session.scalar(select(func.count()).where(*own, hour)) or 0
    if made >= MOST_PER_HOUR:
        raise QuotaUsed(
            say(
                "team %(team)s made %(made)s trials in the last hour; the limit is "
                "%(most_per_hour)s. quintain check with the kit has no limit",
                team=admission.team,
                made=made,
                most_per_hour=MOST_PER_HOUR,
            )
        )


@dataclass(frozen=True, slots=True)
class QueuedUpload:
    """An upload that waits for a worker, and the admission with what is left of the quota.

    ``job`` and ``admission`` are None for an upload that was there before.
    """

    upload: int
    job: int | None
    admission: Admission | None


@dataclass(frozen=True, slots=True)
class UploadRequest:
    """What a team wants to submit.

    Parameters
    ----------
    kind : "release" or "guess"; needed only while phases of both kinds are open.
    sample : the private sample that a release is made from, where the team has a choice.
    trial : whether the files are only to be checked; see :mod:`quintain_host.intake.intake`.
    checked : the number of the trial whose files these are. They are submitted once: a
        second request gives the upload of the first one.
    """

    track: str | None = None
    kind: str | None = None
    sample: int | None = None
    trial: bool = False
    checked: int | None = None


def take(
    site: Site,
    visitor: Visitor,
    edition: str,
    files: Mapping[str, bytes],
    *,
    track: str | None = None,
    kind: str | None = None,
    sample: int | None = None,
) -> QueuedUpload:
    """Take the files of a team: upload, quota and job in one transaction.

    Parameters
    ----------
    files : the contents by the names that the sender gave them: one zip, or every file by itself.
    kind, sample : see :class:`UploadRequest`.
    """
    streams = {name: io.BytesIO(content) for name, content in files.items()}
    return take_streams(site, visitor, edition, streams, UploadRequest(track, kind, sample))


def take_streams(
    site: Site, visitor: Visitor, edition: str, files: Mapping[str, BinaryIO], wanted: UploadRequest
) -> QueuedUpload:
    """Take files that are read part by part; see :func:`take`."""
    visitor.require_scope("submit")
    account, team = visitor.require_signed_in(), visitor.team_in(edition)
    arrived = site.clock.now()
    rules = shown_rules(site, edition)
    with site.database.reading() as session:  # nothing is stored for a team that may not submit
        if (known := submitted_upload(session, edition, wanted.checked)) is not None:
            return QueuedUpload(known, None, None)
        first = _admit(site, session, edition, rules, team, arrived, wanted, _names(files))
    if first.packed and not wanted.trial:
        require_program_worker(site)
    digests, size = _store_files(site, files)
    with site.database.writing(edition) as session:
        if (known := submitted_upload(session, edition, wanted.checked)) is not None:
            return QueuedUpload(known, None, None)  # a second press was as fast as the first
        admission = _admit(site, session, edition, rules, team, arrived, wanted, _names(files))
        upload = Upload(
            edition=edition,
            team=team,
            account=account,
            track=admission.track.id,
            phase=admission.phase.id,
            kind="program" if admission.program else admission.phase.submit,
            sample=wanted.sample,
            arrived=admission.time,
            files=digests,
            size=size,
            state="trying" if wanted.trial else "waiting",
            trial=wanted.checked,
        )
        session.add(upload)
        session.flush()
        job = enqueue(
            session,
            edition,
            "intake",
            "try" if wanted.trial else "check",
            now=arrived,
            team=team,
            account=account,
            arguments={"upload": upload.id},
        )
        return QueuedUpload(upload.id, job.id, admission)


def submitted_upload(session: Session, edition: str, trial: int | None) -> int | None:
    """The upload that submits the files of a trial; None if there is none.

    One that failed by a fault of the host does not count: the team can submit the files again.
    """
    if trial is None:
        return None
    made = select(Upload.id).where(
        Upload.edition == edition, Upload.trial == trial, Upload.state != "failed"
    )
    return session.scalars(made.order_by(Upload.id)).first()


def _store_files(site: Site, files: Mapping[str, BinaryIO]) -> tuple[dict[str, str], int]:
    """Store every file; returns the hash of each, and the size of all."""
    digests, size = {}, 0
    for name, file in files.items():
        digests[name], added = site.uploads.keep_stream(file, site.settings.upload_bytes - size)
        size += added
    return digests, size


def _admit(
    site: Site,
    session: Session,
    edition: str,
    rules: Edition,
    team: str,
    now: datetime,
    wanted: UploadRequest,
    names: Collection[str],
) -> Admission:
    store = DatabaseStore(site.database.engine, edition)
    with store.within(session.connection()):
        journal = Journal(store, last_closing_time(site.edition_root(edition)))
        earlier = [*journal.submissions(team), *pending(session, edition, team)]
        moment, state = journal.time_after(now), journal.state()
    require_few_leftovers(session, site, edition, team, moment)
    if wanted.trial:
        admission = expect(rules, state, earlier, team, moment, wanted.track, wanted.kind)
        require_trial(session, admission, edition)
        return admission
    admission = admit(rules, state, earlier, team, moment, wanted.track, wanted.kind, names)
    _require_few(session, edition, team, site.settings.pending)
    return admission


def _names(files: Collection[str]) -> list[str]:
    """The names of the files that are sent; those in a zip are known when somebody has read it."""
    return [name for name in files if not name.endswith(".zip")]


def pending(session: Session, edition: str, team: str) -> list[Submitted]:
    """The uploads of a team that wait for the intake worker, as the submissions they may become."""
    waiting = select(Upload).where(
        Upload.edition == edition, Upload.team == team, Upload.state == "waiting"
    )
    return [
        Submitted(
            team=team,
            track=upload.track,
            phase=upload.phase,
            kind=upload.kind,
            files={name: upload.files[name] for name in _names(upload.files)},
            time=write_time(upload.arrived),
        )
        for upload in session.scalars(waiting.order_by(Upload.id))
    ]


def _require_few(session: Session, edition: str, team: str, most: int) -> None:
    waiting = len(pending(session, edition, team))
    if waiting >= most:
        raise QuotaUsed(
            say(
                "%(waiting)s of team %(team)s are being checked; wait for them",
                waiting=count(waiting, "upload"),
                team=team,
            )
        )


LOG = logging.getLogger("quintain_host.worker")

MOST_A_DAY = 16
"""How many of the largest uploads a team can send in a day for nothing."""

_FOR_NOTHING = ("refused", "valid", "invalid")


def require_few_leftovers(
    session: Session, site: Site, edition: str, team: str, now: datetime
) -> None:
    """Refuse a team that sent very much in the last day that counts for nothing."""
    sent = session.scalar(
        select(func.sum(Upload.size)).where(
            Upload.edition == edition,
            Upload.team == team,
            Upload.state.in_(_FOR_NOTHING),
            Upload.arrived > now - timedelta(days=1),
        )
    )
    if int(sent or 0) > MOST_A_DAY * site.settings.upload_bytes:
        raise QuotaUsed(
            say(
                "team %(team)s sent %(sent)s bytes in the last day that count for nothing; wait a "
                "day, and use quintain check with the kit",
                team=team,
                sent=sent,
            )
        )


def remove_leftovers(site: Site) -> int:
    """Remove files that no upload and no draft needs, after some days; returns how many."""
    if any(site.root.glob(".backup-*")):
        return 0  # a backup reads the files
    limit = (site.clock.now() - timedelta(days=site.settings.leftover_days)).timestamp()
    old = {path.name for path in _files(site.uploads.root) if _is_older(path, limit)}
    if not old:
        return 0
    # Who needs a file stored it first, so it is too young to be in the list by then.
    needed = _needed_digests(site)
    removed = sum(site.uploads.remove(digest, limit) for digest in sorted(old - needed))
    if removed:
        LOG.info("files of refused uploads were removed", extra={"files": removed})
    return removed


def _files(root: Path) -> Iterator[Path]:
    return root.glob("[0-9a-f][0-9a-f]/*")


def _is_older(path: Path, limit: float) -> bool:
    try:
        return path.stat().st_mtime < limit
    except FileNotFoundError:
        return False


def _needed_digests(site: Site) -> set[str]:
    with site.database.reading() as session:
        sent = session.scalars(select(Upload.files).where(Upload.state.in_(NEEDED)))
        digests = {str(digest) for files in sent for digest in files.values()}
        return digests | set(session.scalars(KEPT_CONTENTS))
