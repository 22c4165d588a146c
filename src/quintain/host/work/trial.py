"""Trial: the intake worker examines files that a team does not submit yet."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update

from quintain.errors import QuintainError
from quintain.host.database.work import Upload
from quintain.host.intake.faults import stored_faults
from quintain.host.intake.sent_files import admission_of, files_of
from quintain.host.queue.claims import require_held
from quintain.host.work.handler import HandlerTask, handler
from quintain.runs.submissions.checking import chosen_sample
from quintain.runs.submissions.submit import Examination, examine


@handler("try")
def trial(task: HandlerTask) -> dict[str, Any]:
    """Find every fault of a trial; nothing is recorded, and nothing is measured."""
    number = int(task.claim.arguments["upload"])
    with task.site.database.reading() as session:
        upload = session.get_one(Upload, number)
    if upload.state != "trying":
        return {"state": upload.state}  # an earlier attempt got this far
    try:
        examination = _examined(task, upload)
    except QuintainError as problem:
        if problem.status >= 500:
            raise
        return _settle(task, number, "invalid", faults=stored_faults(problem))
    return _settle(task, number, "valid", shown={"warnings": examination.warnings()})


def _examined(task: HandlerTask, upload: Upload) -> Examination:
    folder = task.folder()
    files, admission = files_of(task.site, folder, upload), admission_of(folder, upload)
    sample = chosen_sample(admission, files, upload.sample)
    examination = examine(folder, admission, files, measure=False, sample=sample)
    examination.raise_if_faulty()
    return examination


def _settle(task: HandlerTask, upload: int, state: str, **values: Any) -> dict[str, Any]:
    with task.site.database.writing(task.claim.edition) as session:
        require_held(session, task.claim)
        row = update(Upload).where(Upload.id == upload, Upload.state == "trying")
        session.execute(row.values(state=state, **values))
    return {"state": state}
