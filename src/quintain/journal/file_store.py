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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from quintain.jobs.files import file_mode, sync_folder
from quintain.journal.growing import Blocks, Growing, blocks, end_of_lines, mark, open_lines
from quintain.journal.store import already_locked, fields_of, not_locked

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
        self.extend([line])

    def extend(self, lines: Sequence[bytes]) -> None:
        """Add several lines at once; they are safely on the disk when this returns."""
        if self._writer != threading.get_ident():
            raise not_locked()
        for line in lines:
            fields_of(line)
        descriptor = _open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size = os.fstat(descriptor).st_size
            if size == 0:
                # Before the first line, so that a file with lines is always in a synced folder.
                sync_folder(self.path.parent)
            end = end_of_lines(descriptor)
            if end < size:
                self._set_aside(descriptor, end)
            _write(descriptor, b"".join(line + b"\n" for line in lines), end)
        finally:
            os.close(descriptor)

    def lines(
        self,
        *,
        start: int = 0,
        event: str | None = None,
        team: str | None = None,
        without: str | None = None,
    ) -> Iterator[bytes]:
        """The lines, in order; see :class:`quintain.journal.store.Store`."""
        if team is not None and without is None and start == 0:
            yield from self._of_team(team, event)
            return
        needles = _needles(event, team)
        for block in self._blocks(start):
            if not needles:
                yield from lines_without(block, without)
            else:
                yield from _others(_matches(block, needles), without)

    def _of_team(self, team: str, event: str | None) -> Iterator[bytes]:
        """The lines of a team; where they are is remembered, so a long journal takes no longer."""
        if not self.path.is_file():
            return
        spans = _spans(self.path, team, event)
        with open_lines(self.path) as descriptor:
            for start, end in zip(spans[::2], spans[1::2], strict=True):
                yield os.pread(descriptor, end - start, start)

    def last(self) -> bytes | None:
        """The line that was appended last; it is read from the end, however long the file is."""
        place = mark(self.path)
        return place.last if place.offset else None

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
        for _, block in blocks(self.path):
            if start and (count := _count_lines(block)) <= start:
                start -= count
                continue
            yield block[_offset(block, start) :]
            start = 0


def _open(path: Path, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    mode = file_mode(path)
    if mode != 0o600 and os.fstat(descriptor).st_size == 0:
        os.fchmod(descriptor, mode)  # whatever the umask is
    return descriptor


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


def _offset(block: bytes, lines: int) -> int:
    """Where the first lines of a block end."""
    offset = 0
    for _ in range(lines):
        offset = block.index(b"\n", offset) + 1
    return offset


def _count_lines(block: bytes) -> int:
    import numpy as np  # counts many times as fast as bytes do; a command that reads all needs none

    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == _LINE_FEED))


def lines_with(block: bytes, event: str) -> Iterator[bytes]:
    """The lines of a block with an event."""
    return _matches(block, _needles(event, None))


def lines_without(block: bytes, event: str | None) -> list[bytes]:
    """The lines of a block but those of an event; a block with that event alone is not split."""
    if event is None:
        return block[:-1].split(b"\n")
    needle = f'"event": {json.dumps(event)}'.encode()
    # Most lines are submissions, and begin with the event because the keys are sorted.
    first = b"{%b, " % needle
    if block.startswith(first) + block.count(b"\n" + first) == _count_lines(block):
        return []
    return list(_others(block[:-1].split(b"\n"), event))


def _others(lines: Iterable[bytes], event: str | None) -> Iterator[bytes]:
    needles = _needles(event, None)
    return (line for line in lines if not needles or not _has_fields(line, needles))


def _needles(event: str | None, team: str | None) -> dict[bytes, tuple[str, str]]:
    """What to look for in the bytes of a line, the rarer one first."""
    wanted = {"team": team, "event": event}
    return {
        f'"{name}": {json.dumps(value)}'.encode(): (name, value)
        for name, value in wanted.items()
        if value is not None
    }


def _more_spans(
    known: tuple[int, ...], new: Blocks, team: str, event: str | None
) -> tuple[int, ...]:
    """Where the lines of a team begin and end, one after the other."""
    needles, spans = _needles(event, team), []
    for offset, block in new:
        for start, end in _places(block, needles):
            spans += [offset + start, offset + end]
    return (*known, *spans)


_spans: Growing[tuple[int, ...]] = Growing((), _more_spans, 10_000)
"""Where the lines of many teams are: a team that submits again does not read the others' lines."""


def _matches(block: bytes, needles: dict[bytes, tuple[str, str]]) -> Iterator[bytes]:
    """The lines with all these fields."""
    return (block[start:end] for start, end in _places(block, needles))


def _places(block: bytes, needles: dict[bytes, tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """Where the lines with all these fields begin and end; the first field should be rare.

    A string in JSON has no plain quote inside, so a needle with its quotes is only found where a
    field has this name and value.
    """
    first = next(iter(needles))
    position = block.find(first)
    while position >= 0:
        end = block.index(b"\n", position)
        start = block.rfind(b"\n", 0, position) + 1
        if _has_fields(block[start:end], needles):
            yield start, end
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
