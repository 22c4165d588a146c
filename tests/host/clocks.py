"""Clocks for tests: time passes when the test says so."""

from datetime import UTC, datetime, timedelta
from time import monotonic

START = datetime(2026, 5, 1, 12, tzinfo=UTC)
"""When the clock of a test begins: in the first phase of the small contests."""


class TestClock:
    """A clock that stands still until somebody sets it."""

    __test__ = False  # pytest would look for tests in it

    def __init__(self, moment: datetime = START) -> None:
        self.moment = moment

    def now(self) -> datetime:
        """The time that was set."""
        return self.moment

    def set(self, moment: datetime) -> None:
        """Set the clock, forward or back."""
        self.moment = moment

    def wait(self, **duration: float) -> None:
        """Let time pass: ``clock.wait(hours=3)``."""
        self.moment += timedelta(**duration)


class RunningClock:
    """A clock that goes on from the time that somebody set, as a clock of a machine does."""

    def __init__(self, moment: datetime = START) -> None:
        self.set(moment)

    def now(self) -> datetime:
        """The time that was set, and what has passed since."""
        moment, since = self._set
        return moment + timedelta(seconds=monotonic() - since)

    def set(self, moment: datetime) -> None:
        """Set the clock, forward or back."""
        self._set = moment, monotonic()
