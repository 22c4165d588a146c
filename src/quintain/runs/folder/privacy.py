"""Privacy of a folder: which of its files other users of this machine may read.

Everything is private unless its path is public. Other users may pass through the folder itself, so
that a web server can serve ``public/``, but they cannot list it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from quintain.jobs.files import make_folder, write_file
from quintain.runs.folder import paths

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_root(root: Path) -> None:
    """Make the root of an edition folder; a folder that exists keeps its permissions."""
    if not root.exists():
        make_folder(root, durable=True)
        root.chmod(0o711)


def write(root: Path, path: str, content: bytes, *, durable: bool = False) -> None:
    """Write a file of an edition folder; its path decides who may read it."""
    write_file(root / path, content, public=paths.is_public(path), durable=durable)


def exposed(root: Path) -> Iterator[str]:
    """The private files and folders that other users of this machine can read."""
    for name in paths.PRIVATE:
        path = root / name
        # A closed folder protects what is in it, so the permissions below it do not matter.
        if path.exists() and path.stat().st_mode & _OTHERS:
            yield name
