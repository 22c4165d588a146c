"""Tables of work: uploads, the jobs of the queue, workers and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from quintain_host.database.base import Base


class Upload(Base):
    """Files that a team sent. It counts against the quota as soon as it is here.

    Parameters
    ----------
    arrived : the time that counts for the deadline.
    files : SHA-256 of each file as it came, by the name that the sender gave it. The content lies
        in the site's folder of uploads under its hash; a name is never a name on this machine.
    size : how many bytes came in all.
    state : "waiting" for a worker, then "accepted" with the number of its ``event``, "refused"
        with its ``faults``, or "failed" with a fault of the host, which costs no attempt. A trial
        is "trying", then "valid" or "invalid"; it counts for nothing.
    shown : what the team sees of its examination: readings, warnings, failed gates.
    receipt : the signed receipt, as a JSON text.
    trial : the number of the trial whose files it submits; None if the team sent them anew.
    """

    __tablename__ = "upload"

    id: Mapped[int] = mapped_column(primary_key=True)
    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"))
    team: Mapped[str] = mapped_column(Text)
    account: Mapped[int] = mapped_column(ForeignKey("account.id"))
    track: Mapped[str] = mapped_column(Text)
    phase: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)  # "release", "guess" or "program", as in the journal
    sample: Mapped[int | None]
    arrived: Mapped[datetime]
    files: Mapped[dict[str, Any]]
    size: Mapped[int]
    state: Mapped[str] = mapped_column(Text, default="waiting")
    faults: Mapped[list[Any]] = mapped_column(default=list)
    shown: Mapped[dict[str, Any]] = mapped_column(default=dict)
    event: Mapped[int | None]
    receipt: Mapped[str | None] = mapped_column(Text)
    trial: Mapped[int | None]

    __table_args__ = (Index("ix_upload_team", "edition", "team", "id"),)


class QueuedJob(Base):
    """A job of the queue.

    Parameters
    ----------
    lane : "intake" (records events of each edition in order of arrival),
        "scoring" (prepares and scores, one at a time for each edition) or "program" (runs code).
    place : what jobs of the lane wait in line for; see :func:`quintain_host.queue.place_of`.
    kind : what is to be done; see ``quintain_host.work``.
    team : whose job it is, so that no team can make the others wait.
    state : "waiting", "running", "done", "failed" or "cancelled".
    attempt : goes up with every claim. Only the worker with the present attempt may finish the job.
    beat : goes up while the worker lives. A job whose beat stands still for as long as a lease goes
        to another worker. That needs no clock that is right.
    turn : goes up with every claim of the site; it shows who was served last.
    not_before : a job that has to wait for something is not claimed before.
    reason : why it failed or waits, in words for people.
    event : the number of the event that the job recorded, if it did.
    """

    __tablename__ = "job"

    id: Mapped[int] = mapped_column(primary_key=True)
    edition: Mapped[str] = mapped_column(ForeignKey("edition.id"))
    lane: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    team: Mapped[str | None] = mapped_column(Text)
    account: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    arguments: Mapped[dict[str, Any]] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(Text, default="waiting")
    attempt: Mapped[int] = mapped_column(default=0)
    max_attempts: Mapped[int] = mapped_column(default=3)
    worker: Mapped[str | None] = mapped_column(Text)
    beat: Mapped[int] = mapped_column(default=0)
    turn: Mapped[int | None] = mapped_column(index=True)
    not_before: Mapped[datetime | None]
    reason: Mapped[str] = mapped_column(Text, default="")
    result: Mapped[dict[str, Any]] = mapped_column(default=dict)
    event: Mapped[int | None]
    requested: Mapped[datetime]
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_job_claim", "state", "lane", "place", "id"),
        Index("ix_job_line", "lane", "place", "turn"),
        Index("ix_job_edition", "edition", "id"),
    )


class WorkerRow(Base):
    """A worker that has been seen; ``able`` says whether it may run programs of strangers."""

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    lanes: Mapped[list[Any]]
    able: Mapped[bool] = mapped_column(default=False)
    why: Mapped[str] = mapped_column(Text, default="")
    started: Mapped[datetime]
    seen: Mapped[datetime]


class LogLine(Base):
    """One line of the audit log. Each names the hash of the line before."""

    __tablename__ = "audit_log"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    time: Mapped[datetime]
    account: Mapped[int | None]
    action: Mapped[str] = mapped_column(Text)
    edition: Mapped[str | None] = mapped_column(Text, index=True)
    details: Mapped[dict[str, Any]]
    previous: Mapped[str] = mapped_column(Text)
    hash: Mapped[str] = mapped_column(Text)
