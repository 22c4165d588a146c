"""Transcript: what an agent asked, when, and what it got, one line of JSON per call.

Long texts are cut; the SHA-256 beside them is that of the whole. Each line also has the SHA-256 of
the line before, so that no line can be changed or taken out unseen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from quintain.commitment import sha256
from quintain.errors import QuintainError

MOST_SHOWN = 400
"""How many characters of what was given, and of what came back, a line shows."""


class TooLong(QuintainError):
    """The transcript of an agent is above its limit."""


class Transcript:
    """The lines so far.

    Parameters
    ----------
    most : how many bytes it may have; the call that goes beyond ends the session.
    """

    def __init__(self, most: int) -> None:
        self._most, self._lines, self._size, self._last = most, list[bytes](), 0, ""

    def note(self, facts: Mapping[str, Any]) -> None:
        """Add a line about the session, whatever the size so far."""
        line = json.dumps({**facts, "before": self._last}, sort_keys=True).encode() + b"\n"
        self._lines.append(line)
        self._size += len(line)
        self._last = sha256(line)

    def add(self, *, at: float, took: float, question: bytes, reply: bytes) -> None:
        """Add a call; raises if the transcript has become too long."""
        self.note(
            {
                "at": round(at, 3),
                "took": round(took, 3),
                "question": _cut(question),
                "reply": _cut(reply),
            }
        )
        if self._size > self._most:
            raise TooLong(
                f"its transcript is above {self._most:,} bytes after {len(self._lines):,} lines"
            )

    def to_bytes(self) -> bytes:
        """All lines so far, in the order of the calls."""
        return b"".join(self._lines)


def _cut(content: bytes) -> dict[str, Any]:
    text = content[: 4 * MOST_SHOWN].decode("utf-8", "replace")[:MOST_SHOWN]
    return {"text": text, "bytes": len(content), "sha256": sha256(content)}
