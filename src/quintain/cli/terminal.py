"""Terminal: all that a command prints goes through here, even what a library prints.

Names of sites, archives, tables and teams come from strangers. A stream that escapes whatever could
control a terminal cannot be forgotten, as a function that has to be called for each name could be.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from quintain.data.sources.database_address import hide, secrets_of
from quintain.wording.printable import escape_line, escape_lines

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def guard(arguments: Sequence[str]) -> Iterator[None]:
    """Let nothing reach the terminal that controls it, and no password of the arguments."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_Guarded(stream, arguments) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Guarded:
    """A stream of text that escapes what it cannot print; otherwise the stream behind it."""

    def __init__(self, stream: TextIO, arguments: Sequence[str]) -> None:
        self.stream = stream
        self._secrets = [secret for text in arguments for secret in secrets_of(text)]
        if stream.encoding in ("ascii", "US-ASCII"):  # else click opens a stream of its own
            getattr(stream, "reconfigure", lambda **_: None)(encoding="utf-8")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write a text."""
        self.stream.write(escape_lines(hide(text, self._secrets)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console for tables and bars, which paints with controls of its own: pass it no raw names.

    See :func:`cell` for names.
    """
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    own = stream.stream if isinstance(stream, _Guarded) else stream
    return Console(file=own, highlight=False, markup=False, width=width)


def cell(text: str) -> str:
    """A text of strangers for a table or a bar."""
    return escape_line(text)
