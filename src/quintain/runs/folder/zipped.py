"""Zipped: a folder that was packed, a kit or a revealed archive, opened without unpacking it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quintain.data import DEFAULT_LIMITS
from quintain.errors import Faults, SubmissionError
from quintain.jobs.files import write_file
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.upload import unzip


@contextmanager
def opened(path: Path) -> Iterator[Folder]:
    """A folder; of a zip, a copy that lasts as long as it is needed."""
    if not path.is_file():
        yield Folder(path)
        return
    faults = Faults(path.name)
    files = unzip(path.read_bytes(), DEFAULT_LIMITS, faults, folders=True)
    if faults:
        faults.add("unpack it yourself, if you trust it, and name the folder")
    faults.raise_if_any(SubmissionError)
    with tempfile.TemporaryDirectory(prefix="quintain-") as place:
        for name, content in files.items():
            write_file(Path(place) / name, content)
        yield Folder(place)
