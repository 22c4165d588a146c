"""Zipped: open a kit or a revealed archive that is still a zip file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quintain.data import DEFAULT_LIMITS
from quintain.errors import Faults, FolderError, SubmissionError
from quintain.jobs.files import write_file
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.upload import unzip


@contextmanager
def opened(path: Path) -> Iterator[Folder]:
    """A folder; for a zip, a temporary copy that is deleted at the end of the block."""
    if not path.is_file():
        yield Folder(path)
        return
    faults = Faults(path.name)
    files = unzip(path.read_bytes(), DEFAULT_LIMITS, faults, folders=True)
    if faults:
        faults.add("if you trust it, unpack it yourself and give the folder instead")
    faults.raise_if_any(SubmissionError)
    with tempfile.TemporaryDirectory(prefix="quintain-") as place:
        for name, content in files.items():
            write_file(Path(place) / name, content)
        try:
            yield Folder(place)
        except FolderError as problem:
            raise FolderError(str(problem).replace(place, str(path))) from None
