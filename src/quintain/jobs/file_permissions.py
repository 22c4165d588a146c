"""Sharing: which private files the group of a process may read.

On a host, the web process and the workers are different users of one group. With the variable
``QUINTAIN_GROUP_READS=1`` in their environment, the group may read what either of them writes:
journals, boards, kits and uploads. Folders with secrets and submissions stay closed to everybody
but their owner. Processes that a worker starts inherit the variable.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "QUINTAIN_GROUP_READS"

CLOSED = frozenset({"secret", "submissions", ".cache"})
"""Folders of an edition that only their owner may open, so nothing in them can be read."""


def file_mode(path: Path) -> int:
    """The permissions of a private file."""
    return 0o640 if _group_reads(path) else 0o600


def folder_mode(path: Path) -> int:
    """The permissions of a private folder."""
    return 0o750 if _group_reads(path) else 0o700


def _group_reads(path: Path) -> bool:
    return os.environ.get(VARIABLE) == "1" and CLOSED.isdisjoint(path.parts)
