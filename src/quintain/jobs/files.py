"""Files: written completely or not at all, identified by content, safe with many threads."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")

Identity = tuple[int, int, int, int]


def write_file(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, so that a crash leaves no half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Process and thread are in the name: two writers of one file must not share their drafts.
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    part.write_bytes(content)
    part.replace(path)


def identity(path: Path | str) -> Identity:
    """Facts that change when a file is changed or replaced, without reading it."""
    status = os.stat(path)  # noqa: PTH116 -- a Path would have to be made of the text
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class FileCache(Generic[T]):
    """The values read from the last few files; a value is forgotten when its file changes.

    Parameters
    ----------
    read : makes the value from a file and further arguments, which are part of the key.
    size : how many values are kept.
    """

    def __init__(self, read: Callable[..., T], size: int) -> None:
        self._read = read
        self._size = size
        self._kept: OrderedDict[tuple[Hashable, ...], tuple[Identity, T]] = OrderedDict()
        self._lock = threading.Lock()

    def last(self, path: Path | str, *args: Hashable) -> T | None:
        """The value from the last time the file was read; the file may have changed since."""
        with self._lock:
            kept = self._kept.get((str(path), *args))
        return None if kept is None else kept[1]

    def __call__(self, path: Path | str, *args: Hashable) -> T:
        """The value of a file as the file is now."""
        now, key = identity(path), (str(path), *args)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept[0] == now:
                self._kept.move_to_end(key)
                return kept[1]
        value = self._read(Path(path), *args)
        with self._lock:
            self._kept[key] = now, value
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_digests = FileCache(_sha256, 10_000)


def file_digest(path: Path | str) -> str:
    """SHA-256 of a file; it is computed again only if the file changes.

    Where thousands of files are looked at, text is faster than a path that is made for the call.
    """
    return _digests(path)
