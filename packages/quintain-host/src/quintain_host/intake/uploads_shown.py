"""Uploads as their team sees them: state, faults, readings, receipt and place in the queue."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quintain.errors import Fault, QuintainError, Rejected
from quintain.figures.format import printable
from quintain.measures import Reading
from quintain.runs.submissions.counting import program_noun
from quintain.wording.languages import plain_text, retell, say, tell, text_of, to_say
from quintain_host.access import NotThere, Visitor
from quintain_host.database.work import QueuedJob, Upload
from quintain_host.languages.states import state_word
from quintain_host.queue import UNFINISHED
from quintain_host.site import Site

LONGEST_VALUE = 200
"""How much of a wrong value is kept; a team has the file itself."""


@dataclass(frozen=True, slots=True)
class ShownFault:
    """One fault as a team sees it; every text can be shown."""

    text: str
    file: str = ""
    line: int | None = None
    column: str | None = None
    got: str | None = None

    @classmethod
    def of(cls, value: str | dict[str, Any]) -> ShownFault:
        """A fault from its row, in the language that is spoken now.

        The row of an upload that was refused as a whole has a sentence alone.
        """
        row = value if isinstance(value, dict) and "values" not in value else {"text": value}
        return cls(**{**row, "text": say_row(row["text"])})


def say_row(row: Any) -> str:
    """A text from the row of an upload, in the language that is spoken now."""
    return printable(retell(text_of(row)))


def stored_faults(problem: QuintainError) -> list[Any]:
    """Every fault of a refused upload, for its row."""
    if not isinstance(problem, Rejected):
        return [plain_text(problem.args[0])]
    ordered = sorted(problem.faults, key=lambda fault: (fault.file, fault.line or 0))
    faults = [_fault_row(fault) for fault in ordered]
    if problem.total > len(faults):
        more = tell("... and %(n)s more faults", n=problem.total - len(faults))
        faults.append({"text": plain_text(more)})
    return faults


def shown_faults(values: list[Any]) -> list[ShownFault]:
    """The faults in the row of an upload."""
    return [ShownFault.of(value) for value in values]


def _fault_row(fault: Fault) -> dict[str, Any]:
    got = None if fault.got is None else printable(fault.got[:LONGEST_VALUE])
    column = None if fault.column is None else printable(fault.column[:LONGEST_VALUE])
    place = printable(fault.file[:LONGEST_VALUE])
    shown = {"file": place, "line": fault.line, "column": column, "got": got}
    return {"text": plain_text(fault.sentence), **shown}


def stored_reading(reading: Reading) -> dict[str, Any]:
    """A reading for a row; numbers that JSON cannot write become texts.

    >>> stored_reading(Reading(value=float("nan"), low=0, high=1, n=0, better="lower"))["value"]
    'nan'
    """
    fields = reading.model_dump(mode="json")
    return {name: _number(value) for name, value in fields.items()}


def shown_reading(stored: dict[str, Any]) -> Reading:
    """The reading in a row.

    >>> shown_reading({"value": "inf", "low": 0, "high": "inf", "n": 3, "better": "lower"}).value
    inf
    """
    return Reading.model_validate(stored)


def _number(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


OPEN = ("waiting", "trying")
"""The states of an upload that a worker still has to look at."""

_WAITING = threading.BoundedSemaphore(8)
"""How many requests wait for the intake worker; a process has threads for 40 requests."""

_FIRST_LOOK = 0.05
"""After how many seconds a request looks for the first time whether its upload was checked."""

_FAILED = to_say("the host could not check this upload; it costs no attempt, so send it again")


@dataclass(frozen=True, slots=True)
class ShownUpload:
    """One upload.

    Parameters
    ----------
    state : "waiting", "accepted", "refused" or "failed"; of a trial "trying", "valid", "invalid".
    files : SHA-256 of each file as it came, by the name that the sender gave it.
    before : how many checks come first, while it waits.
    event : the number of its event in the journal, if it was accepted.
    left : what is left of the quota, in words.
    made, reasons : what a program made when it ran, and why it made no more.
    second : what its second run made, in words; empty before it.
    """

    id: int
    track: str
    phase: str
    kind: str
    state: str
    arrived: datetime
    files: Mapping[str, str]
    size: int
    sample: int | None = None
    event: int | None = None
    before: int = 0
    faults: tuple[ShownFault, ...] = ()
    readings: Mapping[str, Reading] = field(default_factory=dict)
    gate_failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    left: str = ""
    receipt: bool = False
    made: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    second: str = ""

    @property
    def noun(self) -> str:
        """Whether the judge runs a program or a recipe, where it runs one."""
        return program_noun(self.files)

    @property
    def open(self) -> bool:
        """Whether a worker still has to look at it, or to write its receipt."""
        return _open(self.state, receipt=self.receipt)

    @property
    def trial(self) -> bool:
        """Whether it was only checked, and counts for nothing."""
        return self.state in ("trying", "valid", "invalid")


def upload_for(site: Site, visitor: Visitor, edition: str, number: int) -> ShownUpload:
    """One upload of the visitor's team; for everybody else there is no such upload."""
    with site.database.reading() as session:
        return _show(session, own_row(session, visitor, edition, number))


def uploads_for(
    site: Site, visitor: Visitor, edition: str, *, most: int = 200
) -> list[ShownUpload]:
    """The uploads of the visitor's team, the newest first."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    with site.database.reading() as session:
        rows = session.scalars(
            select(Upload)
            .where(Upload.edition == edition, Upload.team == team)
            .order_by(Upload.id.desc())
            .limit(most)
        ).all()
        return [_show(session, row) for row in rows]


def receipt_for(
    site: Site, visitor: Visitor, edition: str, number: int, *, second: bool = False
) -> bytes:
    """The signed receipt of an accepted upload, or of the second run of its program."""
    with site.database.reading() as session:
        row = own_row(session, visitor, edition, number)
    if second:
        receipt = row.shown.get("program", {}).get("receipt")
        if receipt is None:
            raise NotThere(
                say("upload %(number)s has no program that ran twice yet", number=number)
            )
        return str(receipt).encode()
    if row.receipt is None:
        raise NotThere(
            say(
                "upload %(number)s has no receipt (%(state)s)",
                number=number,
                state=state_word(row.state, "upload"),
            )
        )
    return row.receipt.encode()


def wait_for_worker(
    site: Site, visitor: Visitor, edition: str, number: int, seconds: float = 2.0
) -> ShownUpload:
    """Wait a moment for a worker; returns the upload in whatever state it then is.

    Only a few requests wait at a time: who waits has a thread that others need.
    """
    end = time.monotonic() + seconds
    upload = upload_for(site, visitor, edition, number)
    if not _WAITING.acquire(blocking=False):
        return upload
    try:
        pause, waits = _FIRST_LOOK, upload.open
        while waits and time.monotonic() < end:
            time.sleep(pause)
            pause *= 1.25  # a worker that has much to do is not asked in vain
            waits = _is_open(site, number)
    finally:
        _WAITING.release()
    return upload_for(site, visitor, edition, number) if upload.open else upload


def _is_open(site: Site, number: int) -> bool:
    """Whether an upload is open; one short question, for who asks again and again."""
    row = select(Upload.state, Upload.receipt.is_not(None)).where(Upload.id == number)
    with site.database.reading() as session:
        state, receipt = session.execute(row).one()
    return _open(state, receipt=receipt)


def _open(state: str, *, receipt: bool) -> bool:
    return state in OPEN or (state == "accepted" and not receipt)


def own_row(session: Session, visitor: Visitor, edition: str, number: int) -> Upload:
    """The row of an upload of the visitor's team; for everybody else there is none."""
    visitor.require_scope("read")
    team = visitor.team_in(edition)
    row = session.get(Upload, number) if 0 < number < 2**31 else None
    if row is None or (row.edition, row.team) != (edition, team):
        raise NotThere(say("your team has no upload %(number)s", number=number))
    return row


def _show(session: Session, row: Upload) -> ShownUpload:
    shown = row.shown or {}
    failed = row.state == "failed"
    return ShownUpload(
        id=row.id,
        track=row.track,
        phase=row.phase,
        kind=row.kind,
        state=row.state,
        arrived=row.arrived,
        files=row.files,
        size=row.size,
        sample=row.sample,
        event=row.event,
        before=_checks_before(session, row) if row.state in OPEN else 0,
        # Why the host failed may name what a team must not know; the organisers see it.
        faults=(ShownFault(say(_FAILED)),) if failed else tuple(shown_faults(row.faults)),
        readings={
            name: shown_reading(reading) for name, reading in shown.get("readings", {}).items()
        },
        gate_failures=tuple(map(say_row, shown.get("gate_failures", ()))),
        warnings=tuple(map(say_row, shown.get("warnings", ()))),
        left=say_row(shown.get("left", "")),
        receipt=row.receipt is not None,
        made=tuple(shown.get("program", {}).get("made", ())),
        reasons=tuple(shown.get("program", {}).get("reasons", ())),
        second=say_row(shown.get("program", {}).get("second", "")),
    )


def _checks_before(session: Session, row: Upload) -> int:
    """How many jobs of the intake worker come before the one that checks an upload.

    That is a number and nothing else: whose jobs they are is nobody's business.
    """
    waiting = (QueuedJob.edition == row.edition, QueuedJob.lane == "intake")
    unfinished = QueuedJob.state.in_(UNFINISHED)
    jobs = session.scalars(
        select(QueuedJob).where(*waiting, unfinished, QueuedJob.team == row.team)
    )
    own = next((job.id for job in jobs if job.arguments.get("upload") == row.id), None)
    if own is None:
        return 0
    before = select(func.count()).where(*waiting, unfinished, QueuedJob.id < own)
    return int(session.scalar(before) or 0)
