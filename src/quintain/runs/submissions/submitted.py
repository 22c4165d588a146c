"""Submitted: the submissions of a folder, and their files.

A file is stored under the hash of its content. Its name is a text in the journal and never a name
on this machine. A submission is accepted once its files and its event are on the disk; only then
does its team get a receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.errors import FolderError, NotVerified
from quintain.jobs.files import file_digest, sync_folder, write_file
from quintain.journal.events import SUBMITTED, Submitted, read_event
from quintain.journal.file_store import lines_with
from quintain.journal.growing import Blocks, Growing
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing


def submissions(folder: Folder) -> list[Submitted]:
    """Every accepted submission, in order; none in a kit."""
    path = folder.at(paths.JOURNAL)
    try:
        return list(_submissions(path)) if path.is_file() else []
    except NotVerified as problem:
        raise FolderError(f"{path}: damaged: {problem}") from None


def file_of(submission: Submitted, name: str) -> str:
    """Where a file of a submission is, below the root."""
    return paths.submitted_file(submission.files[name], name)


def store(folder: Folder, files: Mapping[str, bytes]) -> dict[str, str]:
    """Store files by their content; returns the hash of each."""
    digests = {name: sha256(content) for name, content in sorted(files.items())}
    for name, digest in digests.items():
        path = folder.at(paths.submitted_file(digest, name))
        if not path.is_file() or file_digest(path) != digest:
            write_file(path, files[name], durable=True)
        # Somebody who made the file or its folder before may have been killed before syncing them.
        sync_folder(path.parent)
        sync_folder(path.parent.parent)
    return digests


def record_made(
    folder: Folder,
    track: Track,
    kind: Literal["release", "guess"],
    files: Mapping[str, bytes],
    *,
    program: Submitted,
    now: datetime,
) -> Submitted:
    """Store what a team's program made, as a submission of the team."""
    made = Submitted(
        team=program.team,
        track=track.id,
        phase=program.phase,
        kind=kind,
        files=store(folder, files),
        made_by=program.number,
    )
    with writing(folder) as journal:
        return record(folder, journal, made, now=now).event


def _more_submissions(known: tuple[Submitted, ...], new: Blocks) -> tuple[Submitted, ...]:
    events = (read_event(line) for _, block in new for line in lines_with(block, SUBMITTED))
    return (*known, *(event for event in events if isinstance(event, Submitted)))


_submissions: Growing[tuple[Submitted, ...]] = Growing((), _more_submissions, 2)
"""The submissions that were read last: scoring looks at them several times."""
