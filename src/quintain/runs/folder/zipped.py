"""Zipped: open a kit or a revealed archive that is still a zip file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from quintain.data import Limits
from quintain.data.files.subprocess_reader import unzip_apart
from quintain.errors import Faults, FolderError, SubmissionError
from quintain.jobs.scratch import ScratchFolder
from quintain.jobs.subprocess_reader import Allowance
from quintain.runs.folder.folder import Folder

ARCHIVE_LIMITS = Limits(
    file_bytes=10_000_000_000, archive_members=200_000, archive_bytes=50_000_000_000
)
"""A contest with many teams has many files; they go to the disk one by one, not into memory."""
ARCHIVE_ALLOWANCE = Allowance(memory=1_500_000_000, seconds=600)


@contextmanager
def open_packed(path: Path) -> Iterator[Folder]:
    """A folder; for a zip, a temporary copy that is deleted at the end of the block."""
    if not path.is_file():
        yield Folder(path)
        return
    with ScratchFolder() as place:
        try:
            _unpack(path, Path(place))
            yield Folder(place)
        except FolderError as problem:
            raise FolderError(str(problem).replace(place, str(path))) from None


def _unpack(path: Path, place: Path) -> None:
    """Write the files of an archive one by one; raises if the archive cannot be trusted."""
    faults = Faults(path.name)
    with path.open("rb") as archive, ExitStack() as writing:
        parts = unzip_apart(
            archive, ARCHIVE_LIMITS, faults, folders=True, allowance=ARCHIVE_ALLOWANCE
        )
        file: BinaryIO | None = None
        try:
            for part in parts:
                if isinstance(part, str):
                    writing.close()
                    file = writing.enter_context(_new_file(place / part))
                elif file is not None:
                    file.write(part)
        except OSError as problem:
            faults.add(f"cannot be unpacked: {problem.strerror}")
    if faults:
        faults.add("if you trust it, unpack it yourself and give the folder instead")
    faults.raise_if_any(SubmissionError)


def _new_file(path: Path) -> BinaryIO:
    """A file that did not exist before; the folder is ours alone, and so stay its files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    return os.fdopen(os.open(path, flags, 0o600), "wb")
