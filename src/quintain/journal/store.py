"""Store: where a journal keeps its lines, be it a file or a table of a database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Store(Protocol):
    """Lines in order, to which one writer at a time appends; nothing else ever changes them.

    A line is a JSON object exactly as ``json.dumps(..., sort_keys=True)`` writes it.
    """

    def locked(self) -> AbstractContextManager[None]:
        """Keep other writers out, of this process and of others, until the block ends."""

    def append(self, line: bytes) -> None:
        """Add a line; only possible inside of ``locked()``.

        A file has the line safely on the disk when this returns. A database has it when the block
        ends, and drops it if the block ends with an error.
        """

    def lines(
        self,
        *,
        start: int = 0,
        event: str | None = None,
        team: str | None = None,
        without: str | None = None,
    ) -> Iterator[bytes]:
        """The lines, in order.

        Parameters
        ----------
        start : how many lines of the journal to skip.
        event, team : only the lines with these values in the fields of these names.
        without : leave out the lines with this value in the field ``event``.
        """

    def last(self) -> bytes | None:
        """The line that was appended last, or None if there is none."""

    def size(self) -> int:
        """How many lines there are."""


def fields_of(line: bytes) -> dict[str, Any]:
    """The fields in a line; raises ``ValueError`` if it is not written as a store needs it.

    A store of files searches for fields in the bytes, so every value must have one spelling.
    """
    fields = json.loads(line)
    if not isinstance(fields, dict) or json.dumps(fields, sort_keys=True).encode() != line:
        raise ValueError("a line of a journal is a JSON object with sorted keys on one line")
    return fields


def not_locked() -> RuntimeError:
    """What a store raises for a line that is appended while other writers may append, too."""
    return RuntimeError("lines are appended inside of locked() only")


def already_locked() -> RuntimeError:
    """What a store raises instead of waiting for itself for ever."""
    return RuntimeError("this thread has locked the journal already")
