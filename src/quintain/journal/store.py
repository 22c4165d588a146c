"""Store: where a journal keeps its lines, be it a file or a table of a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol


class Store(Protocol):
    """Lines in order, to which one writer at a time appends; nothing else ever changes them.

    A line is a JSON object as ``json.dumps(..., sort_keys=True)`` writes it: UTF-8, no line feed.
    """

    def locked(self) -> AbstractContextManager[None]:
        """Keep other writers out, of this process and of others, until the block ends."""

    def append(self, line: bytes) -> None:
        """Add a line inside of ``locked()``.

        A file has the line on the disk when this returns; a database, when the block ends.
        """

    def lines(
        self, *, start: int = 0, event: str | None = None, team: str | None = None
    ) -> Iterator[bytes]:
        """The lines from number ``start`` on, counted from 0; only those of an event or a team."""

    def last(self) -> bytes | None:
        """The line that was appended last, or None if there is none."""

    def size(self) -> int:
        """How many lines there are."""
