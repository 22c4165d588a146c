"""Say: the texts of the site in the language of whoever reads them.

The language belongs to what is being done: the middleware sets that of a request, and whoever
writes to somebody sets that of the reader with :func:`speaking`. A text is the key of its own
translation. It names its values, ``%(team)s``, and writes a percent sign twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from babel.dates import format_date, format_time
from babel.numbers import format_decimal

from quintain.host.languages import catalogue

_SPOKEN: ContextVar[str] = ContextVar("language", default=catalogue.DEFAULT)


def spoken() -> str:
    """The language that is spoken now, such as "fr"."""
    return _SPOKEN.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for a while; one that the site does not have is English."""
    token = _SPOKEN.set(language if language in catalogue.LANGUAGES else catalogue.DEFAULT)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def to_say(text: str) -> str:
    """Mark a text that is said later, such as one of a constant: the catalogue gets it."""
    return text


def to_say_count(one: str, many: str) -> tuple[str, str]:
    """Mark a text that is said later for one thing or for many."""
    return one, many


def translation(text: str) -> str:
    """The translation of a text, with the names of its values."""
    return catalogue.translations(spoken()).gettext(text) if text else ""


def translation_of_count(one: str, many: str, n: int) -> str:
    """The translation of a text for a number, with the names of its values."""
    return catalogue.translations(spoken()).ngettext(one, many, n)


def say(text: str, /, **values: object) -> str:
    """A text in the language that is spoken now.

    >>> say("at most %(most)s characters", most=80)
    'at most 80 characters'
    """
    return translation(text) % values


def say_count(one: str, many: str, n: int, /, **values: object) -> str:
    """A text for one thing or for many; it can name the number: ``%(n)s``.

    >>> say_count("%(n)s team", "%(n)s teams", 1), say_count("%(n)s team", "%(n)s teams", 3)
    ('1 team', '3 teams')
    """
    return translation_of_count(one, many, n) % {"n": write_number(n), **values}


def write_number(n: int) -> str:
    """A whole number; English writes it without commas, as reports do.

    >>> write_number(12345)
    '12345'
    """
    return str(n) if spoken() == catalogue.DEFAULT else write_grouped(n)


def write_grouped(n: int) -> str:
    """A large number, with the digits in groups.

    >>> write_grouped(12345)
    '12,345'
    """
    return str(format_decimal(n, locale=catalogue.locale_of(spoken())))


def write_day(time: datetime) -> str:
    """The day of a time in UTC.

    >>> write_day(datetime(2026, 5, 1, 12, 0, tzinfo=UTC))
    '1 May 2026'
    """
    return str(format_date(time.astimezone(UTC), "long", catalogue.locale_of(spoken())))


def write_moment(time: datetime) -> str:
    """A time in UTC, to the minute.

    >>> write_moment(datetime(2026, 5, 1, 12, 0, 30, tzinfo=UTC))
    '1 May 2026, 12:00 UTC'
    """
    utc = time.astimezone(UTC)
    clock = format_time(utc, "HH:mm", locale=catalogue.locale_of(spoken()))
    return say("%(day)s, %(time)s UTC", day=write_day(utc), time=clock)
