"""Printable: text of strangers without what controls a terminal or hides other characters."""

from __future__ import annotations

import unicodedata


def escape_line(text: str) -> str:
    """A text on one line, with an escape in place of every character that cannot be printed.

    >>> print(escape_line("a\\x1b[2J\\nb\\x9b\\u202e"))
    a\\x1b[2J\\nb\\u009b\\u202e
    """
    return text if text.isprintable() else "".join(map(_escape, text))


def escape_lines(text: str) -> str:
    """A text of several lines as a terminal may get it: tabs and spaces of all languages stay.

    A JSON text says the same afterwards: it has no control characters but those that end lines.

    >>> print(escape_lines("5 EUR\\r\\n\\x9b"))
    5 EUR\\r
    \\u009b
    """
    if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(sign if _is_space(sign) else _escape(sign) for sign in text)


def _is_space(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    """An escape that JSON knows, too, for what JSON allows inside of texts."""
    if character.isprintable():
        return character
    if character < " ":
        return ascii(character)[1:-1]
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
