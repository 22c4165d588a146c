"""The archive of a contest that is over: every file, so that anybody can verify the results."""

from __future__ import annotations

from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.launch import rehearsal_note
from quintain.runs.submissions.packing import zip_bytes


def archive_bytes(folder: Folder) -> bytes:
    """A zip of everything in a folder, secrets too: publish it only after the contest."""
    files = {name: folder.at(name).read_bytes() for name in paths.published_files(folder.root)}
    note = rehearsal_note(folder)
    if note:
        files[paths.REHEARSAL] = note.encode()
    return zip_bytes(files)
