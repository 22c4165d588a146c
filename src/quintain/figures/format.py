"""Format: how pages and messages write numbers, intervals, times and names from outside."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from quintain.wording.languages import DEFAULT, in_context, say, say_list, speaking, write_decimal

if TYPE_CHECKING:  # measures take longer to import than most commands that write numbers run
    from quintain.measures import Reading


def count(n: int, one: str, many: str = "") -> str:
    """Write a number with its noun; without ``many`` the plural ends in s.

    >>> count(1, "entry", "entries"), count(3, "attacker")
    ('1 entry', '3 attackers')
    """
    return f"{n} {one if n == 1 else many or one + 's'}"


MISSING = "not measured"
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_NOISE = 1e-12
"""Smaller values come from rounding in sums that should be zero."""
_JOINERS = "\u200c\u200d"


def number(value: float, decimals: int | None = None) -> str:
    """Write a number for people; without ``decimals``, its size decides how many digits.

    >>> number(0.98404), number(-0.05), number(2.0), number(1234.5), number(0.00001234)
    ('0.984', '−0.050', '2', '1234', '1.23e−5')
    >>> number(float("inf")), number(float("nan")), number(-0.0001, 2), number(8.65e-18)
    ('∞', 'not measured', '0.00', '0')
    """
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size < _NOISE:
        value = size = 0.0
    if size >= 1e6 or (decimals is None and 0 < size < 1e-3):
        digits, _, exponent = f"{value:.2e}".partition("e")
        return _with_signs(f"{write_decimal(float(digits), '.2f')}e{int(exponent)}")
    if decimals is None:
        decimals = 0 if value == int(value) else _decimals(size)
    text = write_decimal(value, f".{decimals}f")
    return _with_signs(text) if any(map(text.__contains__, "123456789")) else text.lstrip("-")


def _with_signs(text: str) -> str:
    return text.replace("-", "−")


def _decimals(size: float) -> int:
    return 0 if size >= 100 else 1 if size >= 10 else 3


def interval(reading: Reading) -> str:
    """Write an interval for people; a bound has one end, an exact value gives an empty text.

    >>> from quintain.measures import Reading
    >>> interval(Reading(value=0.5, low=0.25, high=0.75, n=8, better="lower"))
    '0.250 to 0.750'
    >>> interval(Reading.at_least(1.5, 8, "lower", method="counted"))
    'at least 1.500'
    """
    if reading.kind != "interval":
        value = number(reading.value)
        if reading.kind == "lower-bound":
            return say("at least %(value)s", value=value)
        return say("at most %(value)s", value=value)
    if math.isnan(reading.low) or math.isnan(reading.high) or reading.low == reading.high:
        return ""
    return say("%(low)s to %(high)s", low=number(reading.low), high=number(reading.high))


def interval_name(readings: Iterable[Reading]) -> str:
    r"""Name the intervals or bounds of some readings, with their level if they share it.

    >>> from quintain.measures import Reading
    >>> interval_name([Reading(value=0.5, low=0.2, high=0.8, n=8, better="lower")])
    '95\xa0% interval'
    >>> interval_name([Reading.at_least(1.5, 8, "lower", method="counted", level=0.99)])
    '99\xa0% bound'
    """
    measured = [reading for reading in readings if reading.measured]
    levels = {reading.level for reading in measured}
    bounds = bool(measured) and all(reading.kind != "interval" for reading in measured)
    if len(levels) != 1:
        bound, span = (
            in_context("beside figures", "bound"),
            in_context("beside figures", "interval"),
        )
        return say(bound if bounds else span)
    percent = f"{100 * levels.pop():.4g}"
    if bounds:
        return say("%(percent)s\u00a0%% bound", percent=percent)
    return say("%(percent)s\u00a0%% interval", percent=percent)


def reading_text(reading: Reading) -> str:
    """Write a reading in one line.

    >>> from quintain.measures import Reading
    >>> reading_text(Reading.missing("lower", "all targets are of one class"))
    'not measured: all targets are of one class'
    """
    if not reading.measured:
        missing = say(MISSING)
        return f"{missing}: {reading.note}" if reading.note else missing
    span = interval(reading)
    if reading.kind != "interval":
        return span
    return f"{number(reading.value)} ({span})" if span else number(reading.value)


def probability(value: float) -> str:
    """Write a probability for people; nobody needs to distinguish 1e-50 from 1e-100.

    >>> probability(6.2e-101), probability(0.0274), probability(0.4)
    ('< 0.001', '0.027', '0.400')
    """
    return "< 0.001" if value < 0.001 else number(value, 3)


def minute(moment: datetime) -> str:
    """Write a time for people, in UTC.

    >>> minute(datetime(2026, 5, 1, 12, 0, 30, tzinfo=UTC))
    '2026-05-01 12:00 UTC'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def deadline(moment: datetime) -> str:
    """Write the end of a phase, in UTC: to the second, if it is not a whole minute.

    >>> deadline(datetime(2026, 5, 1, 12, 0, 30, tzinfo=UTC))
    '2026-05-01 12:00:30 UTC'
    >>> deadline(datetime(2026, 5, 1, 12, 0, tzinfo=UTC))
    '2026-05-01 12:00 UTC'
    """
    if moment.second:
        return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return minute(moment)


_ABBREVIATIONS = frozenset({"auc", "dis", "fpr", "km", "suda", "tpr", "tv1", "tv2", "tv3"})


def spaced(name: str) -> str:
    """Write the name of a reading in words, with abbreviations in capitals.

    >>> spaced("tpr_at_fpr"), spaced("hit_rate")
    ('TPR at FPR', 'hit rate')
    """
    words = name.replace("_", " ").split(" ")
    return " ".join(word.upper() if word in _ABBREVIATIONS else word for word in words)


def listed(names: Sequence[str], most: int = 4) -> str:
    """Write names as a list in a sentence; a long list ends with how many more there are.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    with speaking(DEFAULT):  # reports and faults are English
        return say_list(names, most)


def printable(text: str) -> str:
    """Replace characters that are invisible, reverse the text direction or break files.

    >>> printable("team\\u202e \\x00x\\ny")
    'team� �x y'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def visible_lines(text: str) -> str:
    """A text of several lines as :func:`printable` shows each of them; tabs stay, too.

    >>> visible_lines("a\\u202e\\r\\n\\tb")
    'a�\\n\\tb'
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in lines)


def _visible(character: str) -> str:
    if character in "\t\n\r":
        return " "
    hidden = unicodedata.category(character) in _HIDDEN and character not in _JOINERS
    return "\ufffd" if hidden else character


def wrap_lines(text: str, most: int) -> list[str]:
    """Split text into lines of at most ``most`` places; wide characters take two places.

    >>> wrap_lines("a name that goes on", 10), wrap_lines("incomprehensible", 10)
    (['a name', 'that goes', 'on'], ['incomprehe', 'nsible'])
    """
    lines = [""]
    for word in _pieces(printable(text), most):
        longer = f"{lines[-1]} {word}".strip()
        if places(longer) <= most:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _pieces(text: str, most: int) -> Iterator[str]:
    """The words of a text; a word that is too long for a line comes in pieces."""
    for word in text.split():
        piece = ""
        for character in word:
            if places(piece + character) > most:
                yield piece
                piece = ""
            piece += character
        yield piece


def places(text: str) -> int:
    """How many places a text takes on a line; wide characters take two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
