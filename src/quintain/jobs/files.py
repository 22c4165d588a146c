"""Files: written completely or not at all, identified by content, safe with many threads.

On a host, the web process and the workers are different users of one group. With the variable
``QUINTAIN_GROUP_READS=1`` in their environment, the group may read what either of them writes:
journals, boards, kits and uploads. The web process stores uploads and a worker removes those that
nobody needs, so the group may write in their folders. Folders with secrets and submissions stay
closed to everybody but their owner. Processes that a worker starts inherit the variable.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from quintain.errors import QuintainError

GROUP_READS = "QUINTAIN_GROUP_READS"
CLOSED_FOLDERS = frozenset({"secret", "submissions", ".cache"})
"""Folders of an edition that only their owner may open, so nothing in them can be read."""
SHARED_FOLDERS = frozenset({"uploads"})
"""Folders of a site in which web process and workers both make and remove files."""
T = TypeVar("T")
Identity = tuple[int, int, int, int]
_DRAFT = re.compile(r"\.(?:[0-9a-f]{32}|.+\.\d+\.\d+)\.part")
"""The names of drafts; earlier versions put process and thread into them."""


def write_file(path: Path, content: bytes, *, public: bool = False, durable: bool = False) -> None:
    """Write a file completely or not at all, so that a crash leaves no half of it.

    Any number of threads, processes and machines may write one file at a time; one of them wins.

    Parameters
    ----------
    public : let every user of this machine read the file and the folders made for it. Otherwise
        only its owner may, whatever the umask of the process is, or its group; see
        :func:`file_mode`.
    durable : return only when the file would survive a power failure. Use it for what cannot be
        computed again; it costs milliseconds.
    """
    with file_draft(path, public=public, durable=durable) as file:
        file.write(content)


def write_new(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file for its owner alone, in a place where nothing is, or with leave to replace it.

    Whatever a user names as an output is written so; see :func:`write_file` for files of our own.
    """
    require_new(path, replace=replace)
    write_file(path, content)


def require_new(path: Path, *, replace: bool = False) -> None:
    """Raise if an output would take the place of a file, and nobody asked for that."""
    if path.is_dir():
        raise QuintainError(f"{path} is a folder: name a file")
    if os.path.lexists(path) and not replace:  # a link that leads nowhere is somebody's, too
        raise QuintainError(f"{path} is there already: name another place, or say replace=True")


def require_empty(folder: Path, *, replace: bool = False) -> None:
    """Raise if a folder for outputs has something in it, and nobody asked to replace it."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise QuintainError(f"{folder} is a file: name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not replace:
        raise QuintainError(f"{folder} is not empty: name a new folder, or say replace=True")


@contextmanager
def file_draft(path: Path, *, public: bool = False, durable: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place when the block ends; see :func:`write_file`."""
    make_folder(path.parent, public=public, durable=durable)
    draft, descriptor = _new_draft(path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fchmod(descriptor, 0o644 if public else file_mode(path))
            if durable:
                os.fsync(descriptor)
            draft.replace(path)
    except BaseException as problem:
        draft.unlink(missing_ok=True)
        if isinstance(problem, OSError):
            problem.filename = str(path)  # a full disk does not say which file it is about
        raise
    if durable:
        sync_folder(path.parent)


def make_folder(path: Path, *, public: bool = False, durable: bool = False) -> None:
    """Make a folder and those above it, as far as they are missing; see :func:`write_file`."""
    if path.is_dir():
        return
    make_folder(path.parent, public=public, durable=durable)
    path.mkdir(0o700, exist_ok=True)
    mode = 0o755 if public else folder_mode(path)
    if mode != 0o700:
        path.chmod(mode)
    if durable:
        sync_folder(path.parent)


def remove_drafts(root: Path) -> None:
    """Remove what writers that crashed left behind; a draft that is being written stays."""
    for place, _, names in os.walk(root):
        for name in names:
            if name.endswith(".part") and _DRAFT.fullmatch(name):
                _remove_draft(Path(place, name))


def _new_draft(folder: Path) -> tuple[Path, int]:
    """A new file and its descriptor; its lock tells others that somebody is writing it."""
    while True:
        # Neither process nor thread: in two containers, both may have the same numbers.
        draft = folder / f".{secrets.token_hex(16)}.part"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return draft, descriptor
        os.close(descriptor)  # somebody took it for a leftover before it was locked


def _remove_draft(draft: Path) -> None:
    with suppress(FileNotFoundError, BlockingIOError), draft.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        draft.unlink()


def sync_folder(path: Path) -> None:
    """Make the list of files in a folder survive a power failure."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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


def file_mode(path: Path) -> int:
    """The permissions of a private file."""
    return 0o640 if _group_reads(path) else 0o600


def folder_mode(path: Path) -> int:
    """The permissions of a private folder."""
    if not _group_reads(path):
        return 0o700
    return 0o750 if SHARED_FOLDERS.isdisjoint(path.parts) else 0o770


def _group_reads(path: Path) -> bool:
    return os.environ.get(GROUP_READS) == "1" and CLOSED_FOLDERS.isdisjoint(path.parts)
