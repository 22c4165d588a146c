"""Foreign: files that are no CSV as everybody reads it: other kinds, and lines without clear ends.

Scoring programs of other platforms have a copy of this file, so it needs nothing but Python.
"""

from __future__ import annotations

import csv
import re

to_say = str
"""Marks the texts that the catalogue of ``quintain.wording.languages`` has."""

_STARTS = {
    b"\xff\xfe": to_say("UTF-16 text"),
    b"\xfe\xff": to_say("UTF-16 text"),
    b"Rar!\x1a\x07": to_say("a RAR archive"),
    b"7z\xbc\xaf\x27\x1c": to_say("a 7z archive"),
    b"\x1f\x8b": to_say("a gzip file"),
    b"%PDF": to_say("a PDF document"),
    b"PAR1": to_say("a Parquet file"),
    b"\xd0\xcf\x11\xe0": to_say("an old Excel workbook"),
    b"PK\x03\x04": to_say("a zip archive"),
}
_LOOKED_AT = 4096
_LONE_RETURN = re.compile(rb"\r(?!\n)")


def file_kind(content: bytes) -> str | None:
    """The kind of a file, if it is a well-known kind other than plain text.

    >>> file_kind("target,probability".encode("utf-16"))
    'UTF-16 text'
    >>> file_kind(b"target,probability") is None
    True
    """
    kind = next((name for start, name in _STARTS.items() if content.startswith(start)), None)
    first = content[:_LOOKED_AT]
    if kind == "a zip archive" and (b"[Content_Types].xml" in first or b"xl/" in first):
        return to_say("an Excel workbook")
    if kind is None and len(first) >= 4 and not any(first[1::2]) and all(first[::2]):
        return to_say("UTF-16 text")
    return kind


def lone_return(content: bytes) -> int | None:
    """Where the first carriage return is that no line feed follows; programs read it differently.

    >>> lone_return(b"a\\r\\nb\\rc"), lone_return(b"a\\r\\nb")
    (4, None)
    """
    match = _LONE_RETURN.search(content) if b"\r" in content else None
    return None if match is None else match.start()


def ends_in_quotes(line: str) -> bool:
    """Whether a cell in quotation marks is still open at the end of a line.

    >>> [ends_in_quotes(line) for line in ('1,"a', '1,"a"', '1,"a""b"', '1,5" pipe')]
    [True, False, False, False]
    """
    if line.count('"') % 2 == 0:
        return False
    try:
        return len(list(csv.reader([line, "x"]))) == 1  # the second line went into the cell
    except csv.Error:
        return False
