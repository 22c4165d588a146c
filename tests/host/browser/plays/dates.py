"""Dates: the calendar of the plays; every contest begins on day 1."""

from datetime import UTC, datetime, timedelta


def day(number: float) -> datetime:
    """A moment of a contest: ``day(1.5)`` is noon of the first day, the first of May."""
    return datetime(2026, 4, 30, tzinfo=UTC) + timedelta(days=number)


def phase(opens: float, closes: float) -> str:
    """The dates of a phase in an edition file."""
    return f"opens = {day(opens):%Y-%m-%dT%H:%M:%SZ}\ncloses = {day(closes):%Y-%m-%dT%H:%M:%SZ}\n"
