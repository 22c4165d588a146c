"""The archive of a contest that is over: everything, for anybody to verify."""

from __future__ import annotations

from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.submissions.packing import zip_bytes


def archive_bytes(folder: Folder) -> bytes:
    """Everything in a folder, secrets too: publish it after the contest, so that all can verify."""
    return zip_bytes(
        {name: folder.at(name).read_bytes() for name in paths.files_below(folder.root, "")}
    )
