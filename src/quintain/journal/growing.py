"""Growing: a value computed from a journal's lines, kept up to date by reading only new lines.

A line counts once it ends with a line feed; what follows the last line feed is not a line yet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from quintain.jobs.files import FileCache

_BLOCK = 1 << 16
"""How many bytes are read at a time: they fit into the cache of a processor."""
_LINE = 1 << 12
"""How many bytes the last line rarely exceeds."""
T = TypeVar("T")
Blocks = Iterator[tuple[int, bytes]]
"""Whole lines, many at a time, each block with its offset in the file."""


class Growing(Generic[T]):
    """The values of the last few files; of a file that has grown, only the new lines are read.

    A file that changed without new lines, or in which the line that was last is now another one, is
    read again from the start.

    Parameters
    ----------
    start : the value of an empty file.
    more : makes the value of a longer file from that of a shorter one, the new lines and further
        arguments, which are part of the key. It must not change the value it gets.
    size : how many values are kept.
    """

    def __init__(self, start: T, more: Callable[..., T], size: int) -> None:
        self._start = start
        self._more = more
        self._kept: FileCache[tuple[Mark, T]] = FileCache(self._read, size)

    def __call__(self, path: Path, *args: Hashable) -> T:
        """The value of a file as the file is now."""
        return self._kept(path, *args)[1]

    def _read(self, path: Path, *args: Hashable) -> tuple[Mark, T]:
        before, value = self._kept.last(path, *args) or (Mark(), self._start)
        end = mark(path)
        if end.offset <= before.offset or not still_has(path, before):
            before, value = Mark(), self._start
        return end, self._more(value, blocks(path, before.offset, end.offset), *args)


class Mark(NamedTuple):
    """A place in a file: where its last whole line ended, and what that line was."""

    offset: int = 0
    last: bytes = b""


def mark(path: Path) -> Mark:
    """The place behind the last whole line; it is found from the end, however long the file is."""
    with suppress(FileNotFoundError), open_lines(path) as descriptor:
        end = end_of_lines(descriptor)
        if end:
            start = end_of_lines(descriptor, before=end - 1)
            return Mark(end, os.pread(descriptor, end - 1 - start, start))
    return Mark()


def still_has(path: Path, place: Mark) -> bool:
    """Whether a file still has the line of a mark there; then it has only grown since."""
    if place.offset == 0:
        return True
    with suppress(FileNotFoundError), open_lines(path) as descriptor:
        start = place.offset - len(place.last) - 1
        return os.pread(descriptor, len(place.last) + 1, start) == place.last + b"\n"
    return False


def blocks(path: Path, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Whole lines between two offsets at which lines begin, each block with its offset."""
    with suppress(FileNotFoundError), open_lines(path) as descriptor:
        end = end_of_lines(descriptor) if end is None else end
        while start < end:
            block = _whole_lines(descriptor, start, end)
            yield start, block
            start += len(block)


@contextmanager
def open_lines(path: Path) -> Iterator[int]:
    """The descriptor of a file, for reading."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def end_of_lines(descriptor: int, *, before: int | None = None) -> int:
    """Where the last whole line ends, looking back from the end of the file or from ``before``."""
    position = os.fstat(descriptor).st_size if before is None else before
    length = _LINE
    while position > 0:
        start, length = max(0, position - length), _BLOCK
        feed = os.pread(descriptor, position - start, start).rfind(b"\n")
        if feed >= 0:
            return start + feed + 1
        position = start
    return 0


def _whole_lines(descriptor: int, position: int, end: int) -> bytes:
    """About a block of lines; ``end`` is behind a line feed."""
    length = _BLOCK
    while True:
        block = os.pread(descriptor, min(length, end - position), position)
        feed = block.rfind(b"\n")
        if feed >= 0:
            return block[: feed + 1]
        length *= 2  # this line is longer than a block
