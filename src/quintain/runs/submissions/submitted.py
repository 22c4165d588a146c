"""Submitted: the submissions of a folder, and their files.

A file is stored under the hash of its content. Its name is a text in the journal and never a name
on this machine. A submission is accepted once its files and its event are on the disk; only then
does its team get a receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from quintain.commitment import sha256
from quintain.contests import Track
from quintain.errors import FolderError, NotVerified
from quintain.jobs.files import FileCache, write_file
from quintain.journal.events import Submitted, read_event
from quintain.journal.file_store import FileStore
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import record, writing


def submissions(folder: Folder) -> list[Submitted]:
    """Every accepted submission, in order; none in a kit."""
    path = folder.at(paths.JOURNAL)
    return list(_read_before(path).events) if path.is_file() else []


def file_of(submission: Submitted, name: str) -> str:
    """Where a file of a submission is, below the root."""
    return paths.submitted_file(submission.files[name], name)


def store(folder: Folder, files: Mapping[str, bytes]) -> dict[str, str]:
    """Store files by their content; returns the hash of each."""
    digests = {name: sha256(content) for name, content in sorted(files.items())}
    for name, digest in digests.items():
        path = folder.at(paths.submitted_file(digest, name))
        if not path.is_file():
            write_file(path, files[name], durable=True)
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


class _Read(NamedTuple):
    """How far a journal was read, and its submissions up to there."""

    lines: int
    last: bytes
    events: list[Submitted]


def _read(path: Path) -> _Read:
    """Read the submissions; of a journal that was read before, only the lines appended since."""
    before = _read_before.last(path) or _Read(0, b"", [])
    store_, start = FileStore(path), max(0, before.lines - 1)
    lines = list(store_.lines(start=start))
    if before.lines and lines[:1] == [before.last]:
        known, new = before, lines[1:]
    else:
        known, new = _Read(0, b"", []), lines if start == 0 else list(store_.lines())
    try:
        events = [read_event(line) for line in new if b'"event": "submitted"' in line]
    except NotVerified as problem:
        raise FolderError(f"{path}: damaged: {problem}") from None
    last = new[-1] if new else known.last
    more = [event for event in events if isinstance(event, Submitted)]
    return _Read(known.lines + len(new), last, known.events + more)


_read_before = FileCache(_read, 2)
"""The submissions that were read last: scoring looks at them several times."""
