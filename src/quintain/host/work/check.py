"""Check: the clerk examines an upload; it becomes a submission with a receipt, or is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.errors import QuintainError, Rejected
from quintain.host.database.work import Upload
from quintain.host.work.handler import Task, handler
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.submit import Accepted, expected, submit
from quintain.runs.submissions.upload import read_sent


@handler("check")
def check(task: Task) -> dict[str, Any]:
    """Examine an upload, and record it with a receipt if it is valid."""
    number = int(task.claim.arguments["upload"])
    with task.site.database.reading() as session:
        upload = session.get_one(Upload, number)
    if upload.state != "waiting":
        return {"state": upload.state}  # an earlier attempt got this far

    def accept(session: Session, event: int) -> None:
        session.execute(
            update(Upload).where(Upload.id == number).values(state="accepted", event=event)
        )

    try:
        accepted = _submitted(task, upload, accept)
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        _refuse(task, number, problem)
        return {"state": "refused"}
    _show(task, number, accepted)
    return {"state": "accepted", "event": accepted.submission.number}


def _submitted(task: Task, upload: Upload, accept: Any) -> Accepted:
    folder = task.folder(accept)
    kind = None if upload.kind == "program" else upload.kind
    files = _files(task, folder, upload, kind)
    return submit(
        folder,
        upload.team,
        files,
        track=upload.track,
        kind=kind,
        sample=upload.sample,
        now=upload.arrived,
    )


def _files(task: Task, folder: Folder, upload: Upload, kind: str | None) -> Mapping[str, bytes]:
    sent = {name: task.site.uploads.read(digest) for name, digest in upload.files.items()}
    admission = expected(folder, upload.team, track=upload.track, kind=kind, now=upload.arrived)
    return read_sent(
        sent,
        folder.edition().limits,
        program=upload.kind == "program",
        artefacts=admission.artefacts,
    )


def _refuse(task: Task, upload: int, problem: QuintainError) -> None:
    """Tell the team every fault; the upload no longer counts against its quota."""
    faults = [str(fault) for fault in problem.faults] if isinstance(problem, Rejected) else []
    with task.site.database.writing(task.claim.edition) as session:
        session.execute(
            update(Upload)
            .where(Upload.id == upload, Upload.state == "waiting")
            .values(state="refused", faults=faults or [str(problem)])
        )


def _show(task: Task, upload: int, accepted: Accepted) -> None:
    """Store what the team may see: receipt, readings, warnings, failed gates."""
    examination = accepted.examination
    shown = {
        "readings": {
            name: reading.model_dump(mode="json") for name, reading in examination.readings.items()
        },
        "gate_failures": list(examination.gate_failures),
        "warnings": accepted.warnings(),
        "left": accepted.admission.left(),
    }
    with task.site.database.writing(task.claim.edition) as session:
        session.execute(
            update(Upload)
            .where(Upload.id == upload)
            .values(receipt=accepted.receipt.to_bytes().decode(), shown=shown)
        )
