"""Check: a worker examines an upload; it becomes a submission with a receipt, or is refused."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.errors import NotVerified, QuintainError
from quintain.host.database.work import Upload
from quintain.host.intake.faults import stored_faults
from quintain.host.intake.readings import stored_reading
from quintain.host.intake.sent_files import files_of, kind_of
from quintain.host.queue.claims import Stale, require_held
from quintain.host.work.handler import HandlerTask, handler
from quintain.journal.receipt import Receipt
from quintain.runs.folder.record import publish, receipt_again
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.submit import Accepted, Examination, submit


@handler("check")
def check(task: HandlerTask) -> dict[str, Any]:
    """Examine an upload, and record it with a receipt if it is valid."""
    number = int(task.claim.arguments["upload"])
    with task.site.database.reading() as session:
        upload = session.get_one(Upload, number)
    if upload.state != "waiting":
        _complete(task, upload)  # an earlier attempt got this far
        return {"state": upload.state}

    try:
        accepted = _submitted(task, upload)
    except (Stale, NotVerified):
        raise  # neither says anything about the upload
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        _refuse(task, number, problem)
        return {"state": "refused"}
    _give_receipt(task, number, accepted.receipt)
    return {"state": "accepted", "event": accepted.submission.number}


def _submitted(task: HandlerTask, upload: Upload) -> Accepted:
    shown: dict[str, Any] = {}

    def examined(admission: Admission, examination: Examination) -> None:
        shown.update(_shown(admission, examination))

    def accept(session: Session, event: int) -> None:
        waiting = update(Upload).where(Upload.id == upload.id, Upload.state == "waiting")
        change = waiting.values(state="accepted", event=event, shown=shown)
        if session.execute(change).rowcount != 1:  # type: ignore[attr-defined]
            raise Stale(f"upload {upload.id} does not wait any more")

    folder = task.folder(accept)
    return submit(
        folder,
        upload.team,
        files_of(task.site, folder, upload),
        track=upload.track,
        kind=kind_of(upload),
        sample=upload.sample,
        now=upload.arrived,
        examined=examined,
    )


def _complete(task: HandlerTask, upload: Upload) -> None:
    """Give an accepted upload its receipt, if a worker stopped before it could."""
    if upload.state != "accepted" or upload.receipt is not None or upload.event is None:
        return
    folder = task.folder()
    publish(folder)
    _give_receipt(task, upload.id, receipt_again(folder, upload.event))


def _give_receipt(task: HandlerTask, upload: int, receipt: Receipt) -> None:
    with task.site.database.writing(task.claim.edition) as session:
        row = session.get_one(Upload, upload)
        row.receipt = row.receipt or receipt.to_bytes().decode()


def _refuse(task: HandlerTask, upload: int, problem: QuintainError) -> None:
    """Tell the team every fault; the upload no longer counts against its quota."""
    with task.site.database.writing(task.claim.edition) as session:
        require_held(session, task.claim)
        session.execute(
            update(Upload)
            .where(Upload.id == upload, Upload.state == "waiting")
            .values(state="refused", faults=stored_faults(problem))
        )


def _shown(admission: Admission, examination: Examination) -> dict[str, Any]:
    """What the team may see of an examination: readings, warnings, failed gates."""
    return {
        "readings": {name: stored_reading(one) for name, one in examination.readings.items()},
        "gate_failures": list(examination.gate_failures),
        "warnings": examination.warnings(),
        "left": admission.left(),
    }
