"""Refusals: how a contest writes down why a part did not do its work.

``quintain.plays.refusal`` lists the errors that count. A lasting refusal is the result of a job
like any other: it is a function of the rules, the keys and the data, so it is stored, it stays
while these stay, and a verifier comes to the same one. The rest of the run goes on.
"""

from __future__ import annotations

from quintain.figures.format import printable

_MOST_LINES = 3
_LONGEST = 400


def why(error: Exception) -> str:
    """A refusal as one line for tables and reports.

    >>> from quintain.errors import PartError
    >>> why(PartError("needs bounds for age\\nneeds bounds for pay"))
    'needs bounds for age; needs bounds for pay'
    """
    lines = [line for line in map(str.strip, str(error).splitlines()) if line]
    shown = "; ".join(lines[:_MOST_LINES]) + (" ..." if len(lines) > _MOST_LINES else "")
    text = printable(shown) or type(error).__name__
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


def reason_bytes(error: Exception) -> bytes:
    """A refusal as the content of a file."""
    return why(error).encode() + b"\n"
