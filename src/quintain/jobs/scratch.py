"""Scratch: temporary folders with private rows, which do not outlive the process that made them.

A process that is killed cannot tidy up. So a folder is locked as long as its process lives, and the
next command removes the folders that nobody locks.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "quintain-scratch-"
_OURS = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")


class ScratchFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder that only its owner can enter, and that goes with its process.

    >>> with ScratchFolder() as name:
    ...     remove_leftovers()  # it is in use
    ...     Path(name).is_dir()
    True
    """

    def __init__(self) -> None:
        while True:
            super().__init__(prefix=_PREFIX, ignore_cleanup_errors=True)
            self._lock = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            if Path(self.name).is_dir():
                return
            os.close(self._lock)  # somebody took it for a leftover before it was locked

    def cleanup(self) -> None:
        """Remove the folder."""
        super().cleanup()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_leftovers() -> None:
    """Remove the scratch folders of this user whose processes were killed."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).iterdir():
            if _OURS.fullmatch(folder.name):
                _remove_leftover(folder)


def _remove_leftover(folder: Path) -> None:
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        pass  # its process lives
    finally:
        os.close(lock)
