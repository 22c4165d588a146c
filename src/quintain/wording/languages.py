"""Languages: the texts for people in the language of their readers.

The language belongs to what is being done: a site sets that of a request, and the writer of a mail
sets that of its reader with :func:`speaking`. A text is the key of its own translation.
It names its values, ``%(team)s``, and writes a percent sign twice. Nobody but a site installs
translations, so everything else is English. What a contest stores, signs or commits to is English,
too: the functions that make it speak English, for every visitor.

A short text can need two translations: a door is open, people open it. :func:`in_context` says
which one is meant. Texts without a word, ``%(title)s: %(text)s``, have no translation: each
language puts its own signs between the values.

A fault is found in one place and read in another, perhaps days later. :func:`tell` makes its
sentence: an English text for logs and programs, which :func:`retell` says to a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import reduce
from typing import Any, Self

DEFAULT = "en"


class Language:
    """How a language says texts and writes values: here English, the language of the texts.

    Attributes
    ----------
    group, point : what stands between the digits of large numbers, and before decimals.
    """

    group: str = ","
    point: str = "."

    def text(self, text: str, context: str = "") -> str:
        """The translation of a text, with the names of its values."""
        return text

    def signs(self, text: str) -> str:
        """A text without words, with the signs that the language puts between values."""
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


_CONTEXT = "\x04"
"""What stands between a context and its text, as in the files of gettext."""
VALUE = re.compile(r"%%|%\((\w+)\)s")
"""A value in a text, by its name, or a percent sign."""


def in_context(context: str, text: str) -> str:
    """A short text, and what it is about, where one word of English is several in other languages.

    >>> say(in_context("a phase", "open"))
    'open'
    """
    return f"{context}{_CONTEXT}{text}"


def has_words(text: str) -> bool:
    """Whether a text has something to translate beside its values.

    >>> has_words("%(title)s: %(text)s"), has_words("%(n)s teams")
    (False, True)
    """
    return any(map(str.isalpha, VALUE.sub("", text)))


def translation(text: str) -> str:
    """The translation of a text, with the names of its values."""
    if not text:
        return ""
    language, (context, _, words) = _LANGUAGES[spoken()], text.rpartition(_CONTEXT)
    return language.text(words, context) if has_words(words) else language.signs(words)


def in_english(text: str) -> str:
    """A text as it is stored or signed: in English, without its context.

    >>> in_english(in_context("a phase", "open"))
    'open'
    """
    return text.rpartition(_CONTEXT)[2]


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


# --- texts that are told now and said later ---

_NESTED = 4
"""How deep the values of a text may be texts with values themselves."""
_LONGEST = 5_000
"""How many characters a text from elsewhere may have."""


class Told(str):
    """An English text that remembers how it was made, so that a reader gets it in any language.

    Attributes
    ----------
    text, many : the text of the catalogue, and the one for many things if it counts something.
    n : how many things it counts.
    values : whole numbers, words, and texts of the same kind.
    """

    text: str
    many: str
    n: int
    values: Mapping[str, int | str]

    @classmethod
    def of(cls, text: str, values: Mapping[str, object], many: str = "", n: int = 1) -> Self:
        """A text that counts nothing, or with ``many`` one that counts ``n`` things."""
        kept = {name: _plain_value(value) for name, value in values.items()}
        words = many if many and n != 1 else in_english(text)
        english = cls(words % {"n": n, **kept})
        english.text, english.many, english.n, english.values = text, many, n, kept
        return english


def _plain_value(value: object) -> int | str:
    if isinstance(value, str):
        return value
    try:
        return value.__index__()  # type: ignore[attr-defined, no-any-return]
    except AttributeError:
        return str(value)


def tell(text: str, /, **values: object) -> Told:
    """A text in English, whatever is spoken now; :func:`retell` says it again.

    >>> tell("has %(rows)s rows; the limit is %(most)s", rows=12, most=9)
    'has 12 rows; the limit is 9'
    """
    return Told.of(text, values)


def tell_count(one: str, many: str, n: int, /, **values: object) -> Told:
    """A text in English for one thing or for many; it can name the number: ``%(n)s``.

    >>> tell_count("%(n)s file", "%(n)s files", 2)
    '2 files'
    """
    return Told.of(one, values, many, n)


def tell_commas(texts: Sequence[str]) -> str:
    """Texts in English with commas between them, each of which can be said again.

    >>> tell_commas([tell("one"), tell("two")])
    'one, two'
    """
    return reduce(lambda a, b: tell("%(before)s, %(name)s", before=a, name=b), texts or [""])


def retell(text: str) -> str:
    """What was told, in the language that is spoken now; any other text stays as it is.

    >>> retell(tell("at most %(n)s characters", n=80)), retell("x")
    ('at most 80 characters', 'x')
    """
    if not isinstance(text, Told):
        return text
    values = {
        name: retell(value) if isinstance(value, str) else write_number(value)
        for name, value in text.values.items()
    }
    if text.many:
        return say_count(text.text, text.many, text.n, **values)
    return say(text.text, **values)


def plain_text(text: str) -> Any:
    """A text as plain values, for a file or another process.

    >>> plain_text("x"), plain_text(tell("at most %(n)s", n=80))
    ('x', {'text': 'at most %(n)s', 'values': {'n': 80}})
    """
    if not isinstance(text, Told):
        return text
    values = {
        name: plain_text(value) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    counted = {"many": text.many, "n": text.n} if text.many else {}
    return {"text": text.text, **counted, "values": values}


def text_of(plain: Any, nested: int = _NESTED) -> str:
    """The text that plain values stand for; raises ValueError if they stand for none.

    The values may come from a process that a stranger took over, so the text can do nothing but
    name its values.

    >>> text_of({"text": "at most %(n)s", "values": {"n": 80}})
    'at most 80'
    >>> text_of({"text": "%(n)99999999s", "values": {"n": 80}})
    Traceback (most recent call last):
    ValueError: not a text with values
    """
    if isinstance(plain, str):
        return plain
    match plain:
        case {"text": str() as text, "values": dict() as values, **rest} if nested:
            many, n = rest.get("many", ""), rest.get("n", 1)
            if isinstance(many, str) and isinstance(n, int):
                kept = {
                    name: value if isinstance(value, int) else text_of(value, nested - 1)
                    for name, value in values.items()
                }
                if all(_names_values(form, {"n", *kept}) for form in (text, many)):
                    return Told.of(text, kept, many, n)
    raise ValueError("not a text with values")


def _names_values(text: str, known: set[str]) -> bool:
    """Whether a text has no percent sign but those of values that are known."""
    named = {match[1] for match in VALUE.finditer(text) if match[1]}
    return len(text) <= _LONGEST and "%" not in VALUE.sub("", text) and named <= known
