"""Languages: the texts for people in the language of their readers.

The language belongs to what is being done: a site sets that of a request, and the writer of a mail
sets that of its reader with :func:`speaking`. A text is the key of its own translation.
It names its values, ``%(team)s``, and writes a percent sign twice. Nobody but a site installs
translations, so everything else is English. What a contest stores, signs or commits to is English,
too: the functions that make it speak English, for every visitor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import reduce

DEFAULT = "en"


class Language:
    """How a language says texts and writes values: here English, the language of the texts.

    Attributes
    ----------
    group, point : what stands between the digits of large numbers, and before decimals.
    """

    group: str = ","
    point: str = "."

    def text(self, text: str) -> str:
        """The translation of a text, with the names of its values."""
        return text

    def text_for(self, one: str, many: str, n: int) -> str:
        """The translation of a text for a number, with the names of its values."""
        return one if n == 1 else many

    def day(self, time: datetime) -> str:
        """The day of a time in UTC."""
        return f"{time.day} {time:%B %Y}"


_LANGUAGES: dict[str, Language] = {DEFAULT: Language()}
_SPOKEN: ContextVar[str] = ContextVar("language", default=DEFAULT)


def install(languages: Mapping[str, Language]) -> None:
    """Make languages known, by their codes; one that is known already is replaced."""
    _LANGUAGES.update(languages)


def spoken() -> str:
    """The language that is spoken now, such as "fr"."""
    return _SPOKEN.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for a while, or in a function that this decorates.

    A language that nobody installed is English.
    """
    token = _SPOKEN.set(language if language in _LANGUAGES else DEFAULT)
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
    return _LANGUAGES[spoken()].text(text) if text else ""


def translation_of_count(one: str, many: str, n: int) -> str:
    """The translation of a text for a number, with the names of its values."""
    return _LANGUAGES[spoken()].text_for(one, many, n)


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


def say_words(words: str) -> str:
    """A text that names no values, such as the summary of a part, whose percent signs are single.

    >>> say_words("The 95 % interval.")
    'The 95 % interval.'
    """
    return say(in_catalogue(words))


def in_catalogue(words: str) -> str:
    """A text that names no values as the catalogue has it.

    >>> in_catalogue("95 %")
    '95 %%'
    """
    return words.replace("%", "%%")


def say_list(names: Sequence[str], most: int = 4) -> str:
    """Names as a list in a sentence; a long list ends with how many more there are.

    >>> say_list(["a"]), say_list(["a", "b", "c"]), say_list(["a", "b", "c", "d"], most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    if len(names) > most:
        more = write_number(len(names) - most)
        return say("%(names)s and %(n)s more", names=say_commas(names[:most]), n=more)
    return say_and([*filter(None, [say_commas(names[:-1])]), *names[-1:]])


def say_and(names: Sequence[str]) -> str:
    """Names with "and" between any two.

    >>> say_and(["a", "b", "c"])
    'a and b and c'
    """

    def join(before: str, name: str) -> str:
        return say("%(names)s and %(last)s", names=before, last=name)

    return reduce(join, names) if names else ""


def say_commas(names: Sequence[str]) -> str:
    """Names with commas between them.

    >>> say_commas(["a", "b", "c"])
    'a, b, c'
    """

    def join(before: str, name: str) -> str:
        return say("%(before)s, %(name)s", before=before, name=name)

    return reduce(join, names) if names else ""


def write_number(n: int) -> str:
    """A whole number; English writes it without commas, as reports do.

    >>> write_number(12345)
    '12345'
    """
    return str(n) if spoken() == DEFAULT else write_grouped(n)


def write_grouped(n: int) -> str:
    """A large number, with the digits in groups.

    >>> write_grouped(12345)
    '12,345'
    """
    return f"{n:,}".replace(",", _LANGUAGES[spoken()].group)


def write_decimal(value: float, form: str = "g") -> str:
    """A number with decimals, in one of Python's forms.

    >>> write_decimal(0.25), write_decimal(1e-05)
    ('0.25', '1e-05')
    """
    return f"{value:{form}}".replace(".", _LANGUAGES[spoken()].point)


def write_day(time: datetime) -> str:
    """The day of a time in UTC.

    >>> write_day(datetime(2026, 5, 1, 12, 0, tzinfo=UTC))
    '1 May 2026'
    """
    return _LANGUAGES[spoken()].day(time.astimezone(UTC))


def write_moment(time: datetime) -> str:
    """A time in UTC, to the minute.

    >>> write_moment(datetime(2026, 5, 1, 12, 0, 30, tzinfo=UTC))
    '1 May 2026, 12:00 UTC'
    """
    utc = time.astimezone(UTC)
    return say("%(day)s, %(time)s UTC", day=write_day(utc), time=f"{utc:%H:%M}")
