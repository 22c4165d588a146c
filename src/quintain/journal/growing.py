"""Growing: a value computed from a journal's lines, kept up to date by reading only new lines."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from quintain.jobs.files import FileCache
from quintain.journal.blocks import Mark, blocks, mark, still_has

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
