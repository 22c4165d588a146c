"""Tokens: the numbers, names, texts and signs of a formula, with the place of each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from quintain.errors import Fault, FaultyValue

LONGEST = 2000
"""The most characters that a formula may have."""
LONGEST_NUMBER = 30
LARGEST_EXPONENT = 15

# [0-9] and not \d: that would also match digits of other scripts.
_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
    (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?)
    |(?P<text>"[^"\n]*"|'[^'\n]*')
    |(?P<sign><=|>=|==|!=|[-+*/(),<>])
    |(?P<end>\Z))""",
    re.VERBOSE,
)
_SPACE = re.compile(r"[ \t\r\n]*")
_HINTS = {
    ".": "a dot stands between a goal and its reading: member.auc, without spaces",
    "^": "write a product: x * x",
    "%": "write a share: 0.05 for 5 %",
    "=": "to compare, write ==",
    '"': "the text has no closing quote",
    "'": "the text has no closing quote",
}
Kind = Literal["number", "name", "text", "sign", "end"]


class FormulaToken(NamedTuple):
    """One word of a formula; ``at`` counts its first character from 1."""

    kind: Kind
    text: str
    at: int


class FormulaError(FaultyValue):
    """A formula has faults; each has the character at which it is."""


def fault(at: int, message: str) -> FormulaError:
    """The error of a single fault."""
    return FormulaError((Fault(message, character=at),))


def tokens(text: str) -> Iterator[FormulaToken]:
    """The words of a formula; the last is the end. The time grows with the length alone."""
    if len(text) > LONGEST:
        raise fault(1, f"a formula of {len(text):,} characters; the limit is {LONGEST:,}")
    place = 0
    while True:
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unexpected(text, place)
        kind = cast(Kind, match.lastgroup)  # every group of the pattern is a kind
        word, at = match[kind], match.start(kind) + 1
        if kind == "number":
            _check_size(word, at)
        yield FormulaToken(kind, word, at)
        if kind == "end":
            return
        place = match.end()


def _check_size(word: str, at: int) -> None:
    digits, _, exponent = word.lower().partition("e")
    if len(digits) > LONGEST_NUMBER:
        raise fault(at, f"a number of {len(digits)} digits; the limit is {LONGEST_NUMBER}")
    if len(exponent) > 4 or abs(int(exponent or 0)) > LARGEST_EXPONENT:
        raise fault(at, f"expected an exponent from -{LARGEST_EXPONENT} to {LARGEST_EXPONENT}")


def _unexpected(text: str, place: int) -> FormulaError:
    space = _SPACE.match(text, place)
    at = space.end() if space is not None else place
    character = text[at]
    if character in _HINTS:
        return fault(at + 1, f"unexpected {character!r}; {_HINTS[character]}")
    if character.isascii():
        return fault(at + 1, f"unexpected {character!r}")
    name = unicodedata.name(character, f"U+{ord(character):04X}")
    return fault(at + 1, f"unexpected character {name}; formulas are plain ASCII text")
