"""Clock: the time of the server. Nothing else in the host asks for the time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Says what time it is; tests have clocks of their own."""

    def now(self) -> datetime:
        """The time now, in UTC."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The time now, in UTC."""
        return datetime.now(UTC)
