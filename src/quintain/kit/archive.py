"""The archive of a contest that is over: everything, for anybody to verify."""

from __future__ import annotations

from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.packing import zip_bytes


def archive_bytes(folder: Folder) -> bytes:
    """Everything in a folder, secrets too: publish it after the contest, so that all can verify."""
    return zip_bytes(
        {
            path.relative_to(folder.root).as_posix(): path.read_bytes()
            for path in sorted(folder.root.rglob("*"))
            if path.is_file() and not _hidden(path.relative_to(folder.root).parts)
        }
    )


def _hidden(parts: tuple[str, ...]) -> bool:
    return any(part.startswith(".") for part in parts)
