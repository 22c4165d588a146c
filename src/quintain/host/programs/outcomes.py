"""Outcomes: what a team sees of its program after it ran; pages read rows, not the folder."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from quintain.host.database.work import Upload
from quintain.host.site import Site
from quintain.journal.events import Submitted
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.counting import submissions


def show_outcomes(site: Site, edition: str, folder: Folder) -> None:
    """Store beside each upload of a program what it made, and why it made no more.

    The reasons are sentences of a short list; see :class:`quintain.programs.failures.Reason`.
    """
    submitted = submissions(folder)
    programs = {one.number: one for one in submitted if one.kind == "program"}
    if not programs:
        return
    with site.database.writing(edition) as session:
        own = select(Upload).where(Upload.edition == edition, Upload.event.in_(programs))
        for upload in session.scalars(own):
            assert upload.event is not None  # that is how it was looked for
            outcome = _outcome(folder, programs[upload.event], submitted)
            if upload.shown.get("program") != outcome:
                upload.shown = {**upload.shown, "program": outcome}


def _outcome(folder: Folder, program: Submitted, submitted: list[Submitted]) -> dict[str, Any]:
    made = [name for one in submitted if one.made_by == program.number for name in one.files]
    path = folder.at(paths.reason(program.number))
    reasons = path.read_text().splitlines() if path.is_file() else []
    return {"made": sorted(made), "reasons": reasons}
