"""Check: a worker examines an upload; it becomes a submission with a receipt, or is refused.

A trial is examined in the same way, and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from quintain.errors import Faults, NotVerified, QuintainError, SubmissionError
from quintain.journal.receipt import Receipt
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.paths import CARD
from quintain.runs.folder.record import publish, receipt_again
from quintain.runs.submissions.admission import Admission
from quintain.runs.submissions.checking import chosen_sample
from quintain.runs.submissions.submit import (
    Accepted,
    Examination,
    admission_for,
    examine,
    has_own_gates,
    submit,
)
from quintain.runs.submissions.upload import read_sent
from quintain.wording.languages import plain_text, tell
from quintain_host.database.work import Upload
from quintain_host.editions.shown import round_name
from quintain_host.intake.uploads_shown import stored_faults, stored_reading
from quintain_host.notices.inbox import members, notify
from quintain_host.notices.words import upload_refused
from quintain_host.queue import RetryLater, Stale, require_held, wait_for_turn
from quintain_host.site import Site
from quintain_host.work.handler import HandlerTask, handler


@handler("check")
def check(task: HandlerTask) -> dict[str, Any]:
    """Examine an upload, and record it with a receipt if it is valid."""
    upload = _upload(task)
    if upload.state != "waiting":
        _complete(task, upload)  # an earlier attempt got this far
        return {"state": upload.state}

    try:
        accepted = _submit(task, upload)
    except (Stale, RetryLater, NotVerified):
        raise  # none of them says anything about the upload
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        # It no longer counts against the quota of the team, which reads every fault.
        return _settle(task, upload, "refused", faults=stored_faults(problem))
    _give_receipt(task, upload.id, accepted.receipt)
    return {"state": "accepted", "event": accepted.submission.number}


def _submit(task: HandlerTask, upload: Upload) -> Accepted:
    shown: dict[str, Any] = {}

    def keep_examination(admission: Admission, examination: Examination) -> None:
        shown.update(_for_team(admission, examination))
        # Others may be examined at the same time; events keep the order in which uploads came.
        wait_for_turn(task.site.database, task.claim, task.site.clock.now)

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
        examined=keep_examination,
        gates=True,
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


def _for_team(admission: Admission, examination: Examination) -> dict[str, Any]:
    """What the team may see of an examination, and what is left of its quota."""
    return {**_examination_row(examination), "left": plain_text(admission.quota_left())}


def _examination_row(examination: Examination) -> dict[str, Any]:
    """Readings, warnings and failed gates for the row of an upload."""
    return {
        "readings": {
            name: stored_reading(reading) for name, reading in examination.readings.items()
        },
        "gate_failures": [*map(plain_text, examination.gate_failures)],
        "warnings": [*map(plain_text, examination.warnings())],
    }


@handler("try")
def trial(task: HandlerTask) -> dict[str, Any]:
    """Find every fault of a trial, and every gate that it fails; nothing is recorded.

    Gates are shown where the team could compute them itself; nothing else is measured.
    """
    upload = _upload(task)
    if upload.state != "trying":
        return {"state": upload.state}  # an earlier attempt got this far
    try:
        examination = _examine(task, upload)
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        return _settle(task, upload, "invalid", faults=stored_faults(problem))
    return _settle(task, upload, "valid", shown=_examination_row(examination))


def _examine(task: HandlerTask, upload: Upload) -> Examination:
    folder = task.folder()
    files, admission = files_of(task.site, folder, upload), admission_of(folder, upload)
    sample = chosen_sample(admission, files, upload.sample)
    gates = has_own_gates(admission.track)
    examination = examine(folder, admission, files, measure=gates, sample=sample)
    examination.raise_if_faulty()
    return examination.only_gates(admission.track)


def _upload(task: HandlerTask) -> Upload:
    with task.site.database.reading() as session:
        return session.get_one(Upload, int(task.claim.arguments["upload"]))


def _settle(task: HandlerTask, upload: Upload, state: str, **values: Any) -> dict[str, Any]:
    """Say what became of an upload, unless another worker has its job by now."""
    with task.site.database.writing(task.claim.edition) as session:
        require_held(session, task.claim)
        row = update(Upload).where(Upload.id == upload.id, Upload.state == upload.state)
        session.execute(row.values(state=state, **values))
        if state == "refused":
            number = len(values.get("faults", ()))
            where = round_name(task.site, upload.edition, upload.track)
            message = partial(upload_refused, where, upload.phase, upload.id, number)
            people = members(session, upload.edition, upload.team)
            notify(session, task.site, upload.edition, people, message)
    return {"state": state}


def kind_of(upload: Upload) -> str | None:
    """What the engine asks for to find the phase; a program may be of either kind."""
    return None if upload.kind == "program" else upload.kind


def admission_of(folder: Folder, upload: Upload) -> Admission:
    """The submission that an upload is to become."""
    return admission_for(
        folder, upload.team, track=upload.track, kind=kind_of(upload), now=upload.arrived
    )


def files_of(site: Site, folder: Folder, upload: Upload) -> Mapping[str, bytes]:
    """The files of an upload by name; raises with every reason to refuse them.

    A team may send a zip and the answers to the questionnaire, which the site packed in a card.
    """
    sent = {name: site.uploads.read(digest) for name, digest in upload.files.items()}
    admission = admission_of(folder, upload)
    card = _card_beside_zip(sent)
    files = read_sent(
        sent,
        folder.edition().limits,
        program=admission.packed,
        artefacts=admission.artefacts,
    )
    if card is None:
        return files
    faults = Faults(CARD)
    if CARD in files:
        faults.add(tell("the zip has a card, and so has the form; send one of them"))
    faults.raise_if_any(SubmissionError)
    return {**files, CARD: card}


def _card_beside_zip(sent: dict[str, bytes]) -> bytes | None:
    """Take the card out of what was sent, if the other files are in one zip."""
    others = [name for name in sent if name != CARD]
    if CARD in sent and len(others) == 1 and others[0].endswith(".zip"):
        return sent.pop(CARD)
    return None
