"""Foreign: recognise files of other kinds by the bytes at their start.

Scoring programs of other platforms have a copy of this file, so it needs nothing but Python.
"""

from __future__ import annotations

to_say = str
"""Marks the texts that the catalogue of ``quintain.languages`` has."""

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
