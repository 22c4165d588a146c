"""Refusals: a part that cannot do its work says why, and the rest of the run goes on.

A refusal is the result of a job like any other: it is a function of the rules, the keys and the
data, so it is stored, it stays while these stay, and a verifier comes to the same one. Only errors
by which a part speaks of its parameters, its knowledge or its data are refusals. Everything else,
such as a mistake in its code or too little memory, ends the run.
"""

from __future__ import annotations

from quintain.errors import DataError, KnowledgeError, NoiseError, PartError, SubmissionError
from quintain.figures.format import printable

REFUSALS = (PartError, KnowledgeError, DataError, NoiseError, SubmissionError)
"""The errors by which a part refuses, or by which the rules refuse what it made."""

_MOST_LINES = 3
_LONGEST = 400


def why(error: Exception) -> str:
    """A refusal as one line for tables and reports.

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
