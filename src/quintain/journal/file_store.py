"""File store: a journal as a text file that only grows, safe against crashes and power failures.

A line counts once it ends with a line feed. What follows the last line feed is a line that a crash
cut off: nobody got a receipt for it. Readers ignore it, and the next writer moves it to a file
beside the journal. Everything before the last line feed never changes, so readers need no lock.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from quintain.jobs.files import sync_folder
from quintain.journal.store import already_locked, fields_of, not_locked

_BLOCK = 1 << 16
"""How many bytes are read at a time: they fit into the cache of a processor."""

_LINE_FEED = ord("\n")


class FileStore:
    """The lines of a journal in a file.

    Parameters
    ----------
    path : the file; its folder must exist. A lock ``.NAME.lock`` is beside it, and
        ``NAME.cut-off`` if a crash ever cut off a line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: int | None = None

    @property
    def cut_off(self) -> Path:
        """The file with the lines that crashes cut off."""
        return self.path.with_name(f"{self.path.name}.cut-off")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out, of this process and of others, until the block ends."""
        if self._writer == threading.get_ident():
            raise already_locked()
        descriptor = _open(self.path.with_name(f".{self.path.name}.lock"), os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._writer = threading.get_ident()
            try:
                yield
            finally:
                self._writer = None
                # Closing alone would not do: a child process may have inherited the descriptor.
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        finally:
            os.close(descriptor)

    def append(self, line: bytes) -> None:
        """Add a line; it is safely on the disk when this returns."""
        if self._writer != threading.get_ident():
            raise not_locked()
        fields_of(line)
        descriptor = _open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size = os.fstat(descriptor).st_size
            if size == 0:
                # Before the first line, so that a file with lines is always in a synced folder.
                sync_folder(self.path.parent)
            end = _end(descriptor)
            if end < size:
                self._set_aside(descriptor, end)
            _write(descriptor, line + b"\n", end)
        finally:
            os.close(descriptor)

    def lines(
        self, *, start: int = 0, event: str | None = None, team: str | None = None
    ) -> Iterator[bytes]:
        """The lines, in order; see :class:`quintain.journal.store.Store`."""
        wanted = {"team": team, "event": event}  # the rarer one comes first
        needles = {
            f'"{name}": {json.dumps(value)}'.encode(): (name, value)
            for name, value in wanted.items()
            if value is not None
        }
        for block in self._blocks(start):
            yield from _matches(block, needles) if needles else block[:-1].split(b"\n")

    def last(self) -> bytes | None:
        """The line that was appended last; it is read from the end, however long the file is."""
        with suppress(FileNotFoundError), self._reading() as descriptor:
            end = _end(descriptor)
            if end:
                start = _end(descriptor, before=end - 1)
                return os.pread(descriptor, end - 1 - start, start)
        return None

    def size(self) -> int:
        """How many lines there are."""
        return sum(map(_count_lines, self._blocks()))

    def _set_aside(self, descriptor: int, end: int) -> None:
        """Move a line that a crash cut off to the file beside the journal."""
        size = os.fstat(descriptor).st_size
        rest = os.pread(descriptor, size - end, end)
        aside = _open(self.cut_off, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            _write(aside, rest + b"\n", os.fstat(aside).st_size)
        finally:
            os.close(aside)
        sync_folder(self.path.parent)
        # The next line must not be mixed with this one on the disk.
        os.ftruncate(descriptor, end)
        os.fsync(descriptor)

    def _blocks(self, start: int = 0) -> Iterator[bytes]:
        """Whole lines, many at a time, without the first ``start`` of them."""
        with suppress(FileNotFoundError), self._reading() as descriptor:
            end, position = _end(descriptor), 0
            while position < end:
                block = _whole_lines(descriptor, position, end)
                position += len(block)
                if start and (count := _count_lines(block)) <= start:
                    start -= count
                    continue
                yield block[_offset(block, start) :]
                start = 0

    @contextmanager
    def _reading(self) -> Iterator[int]:
        descriptor = _open(self.path, os.O_RDONLY)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _open(path: Path, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def _end(descriptor: int, *, before: int | None = None) -> int:
    """Where the last whole line ends, looking back from the end of the file or from ``before``."""
    position = os.fstat(descriptor).st_size if before is None else before
    while position > 0:
        start = max(0, position - _BLOCK)
        feed = os.pread(descriptor, position - start, start).rfind(b"\n")
        if feed >= 0:
            return start + feed + 1
        position = start
    return 0


def _write(descriptor: int, content: bytes, size: int) -> None:
    """Append to a file and to the disk, completely or not at all."""
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, size)  # a full disk must not leave half a line
        raise


def _whole_lines(descriptor: int, position: int, end: int) -> bytes:
    """About a block of lines; ``end`` is behind a line feed."""
    length = _BLOCK
    while True:
        block = os.pread(descriptor, min(length, end - position), position)
        feed = block.rfind(b"\n")
        if feed >= 0:
            return block[: feed + 1]
        length *= 2  # this line is longer than a block


def _offset(block: bytes, lines: int) -> int:
    """Where the first lines of a block end."""
    offset = 0
    for _ in range(lines):
        offset = block.index(b"\n", offset) + 1
    return offset


def _count_lines(block: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == _LINE_FEED))


def _matches(block: bytes, needles: dict[bytes, tuple[str, str]]) -> Iterator[bytes]:
    """The lines with all these fields, the first of which should be rare.

    A string in JSON has no plain quote inside, so a needle with its quotes is only found where a
    field has this name and value.
    """
    first = next(iter(needles))
    position = block.find(first)
    while position >= 0:
        end = block.index(b"\n", position)
        line = block[block.rfind(b"\n", 0, position) + 1 : end]
        if _has_fields(line, needles):
            yield line
        position = block.find(first, end)


def _has_fields(line: bytes, needles: dict[bytes, tuple[str, str]]) -> bool:
    """Whether the event has these fields, not an object inside of it."""
    is_certain = True
    for needle in needles:
        offset = line.find(needle)
        if offset < 0:
            return False
        is_certain &= line.find(b"{", 1, offset) < 0
    if is_certain:
        return True
    try:
        fields = json.loads(line)
    except ValueError:
        return True  # somebody damaged the line: let the reader of the event complain
    return all(fields.get(name) == value for name, value in needles.values())
