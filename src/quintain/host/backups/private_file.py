"""Private file: a new file that only its owner can read, whatever the umask is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def new_private_file(path: Path) -> BinaryIO:
    """A new file to write to; raises if there is one already."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
