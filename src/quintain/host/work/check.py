"""Check: the clerk examines an upload; it becomes a submission with a receipt, or is refused."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.errors import QuintainError
from quintain.host.database.work import Upload
from quintain.host.intake.faults import stored_faults
from quintain.host.intake.readings import stored_reading
from quintain.host.intake.sent_files import files_of, kind_of
from quintain.host.queue.claims import Stale, require_held
from quintain.host.work.handler import Task, handler
from quintain.runs.folder.record import receipt_again
from quintain.runs.submissions.submit import Accepted, submit


@handler("check")
def check(task: Task) -> dict[str, Any]:
    """Examine an upload, and record it with a receipt if it is valid."""
    number = int(task.claim.arguments["upload"])
    with task.site.database.reading() as session:
        upload = session.get_one(Upload, number)
    if upload.state != "waiting":
        _complete(task, upload)  # an earlier attempt got this far
        return {"state": upload.state}

    def accept(session: Session, event: int) -> None:
        session.execute(
            update(Upload).where(Upload.id == number).values(state="accepted", event=event)
        )

    try:
        accepted = _submitted(task, upload, accept)
    except Stale:
        raise  # whether the upload is valid is for the worker to say that has it now
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        _refuse(task, number, problem)
        return {"state": "refused"}
    _show(task, number, accepted)
    return {"state": "accepted", "event": accepted.submission.number}


def _submitted(task: Task, upload: Upload, accept: Any) -> Accepted:
    folder = task.folder(accept)
    return submit(
        folder,
        upload.team,
        files_of(task.site, folder, upload),
        track=upload.track,
        kind=kind_of(upload),
        sample=upload.sample,
        now=upload.arrived,
    )


def _complete(task: Task, upload: Upload) -> None:
    """Give an accepted upload its receipt, if a worker stopped before it could."""
    if upload.state != "accepted" or upload.receipt is not None or upload.event is None:
        return
    receipt = receipt_again(task.folder(), upload.event)
    with task.site.database.writing(task.claim.edition) as session:
        row = session.get_one(Upload, upload.id)
        row.receipt = row.receipt or receipt.to_bytes().decode()


def _refuse(task: Task, upload: int, problem: QuintainError) -> None:
    """Tell the team every fault; the upload no longer counts against its quota."""
    with task.site.database.writing(task.claim.edition) as session:
        require_held(session, task.claim)
        session.execute(
            update(Upload)
            .where(Upload.id == upload, Upload.state == "waiting")
            .values(state="refused", faults=stored_faults(problem))
        )


def _show(task: Task, upload: int, accepted: Accepted) -> None:
    """Store what the team may see: receipt, readings, warnings, failed gates."""
    examination = accepted.examination
    shown = {
        "readings": {name: stored_reading(one) for name, one in examination.readings.items()},
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
