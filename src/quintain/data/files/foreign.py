"""Foreign: recognise files of other kinds by the bytes at their start."""

from __future__ import annotations

_STARTS = {
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"Rar!\x1a\x07": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet file",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"PK\x03\x04": "a zip archive",
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
        return "an Excel workbook"
    if kind is None and len(first) >= 4 and not any(first[1::2]) and all(first[::2]):
        return "UTF-16 text"
    return kind
