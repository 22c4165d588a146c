"""ELF: which libraries a compiled file needs, as its own header says.

References
----------
Tool Interface Standard, Executable and Linking Format, version 1.2.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO, NamedTuple

_MAGIC = b"\x7fELF\x02\x01"
"""The first bytes of files of 64 bits, lowest byte first, as on all machines that we know."""
_LOADED, _DYNAMIC, _INTERPRETER = 1, 2, 3
"""Kinds of segments."""
_NEEDED, _STRINGS, _STRINGS_SIZE = 1, 5, 10
"""Kinds of entries in the dynamic segment."""


class _Segment(NamedTuple):
    kind: int
    offset: int
    address: int
    size: int


def needed_libraries(path: Path) -> list[str]:
    """Names of libraries and the path of the loader; nothing if the file is not compiled."""
    with path.open("rb") as file:
        header = file.read(64)
        if len(header) < 64 or not header.startswith(_MAGIC):
            return []
        segments = _segments(file, header)
        return [*_loader(file, segments), *_names(file, segments)]


def _segments(file: BinaryIO, header: bytes) -> list[_Segment]:
    (start,) = struct.unpack_from("<Q", header, 32)
    size, count = struct.unpack_from("<HH", header, 54)
    table = _read(file, start, size * count)
    rows = (struct.unpack_from("<IIQQQQ", table, size * number) for number in range(count))
    return [_Segment(kind, offset, address, long) for kind, _, offset, address, _, long in rows]


def _loader(file: BinaryIO, segments: list[_Segment]) -> list[str]:
    contents = [_read(file, s.offset, s.size) for s in segments if s.kind == _INTERPRETER]
    return [content.rstrip(b"\0").decode() for content in contents]


def _names(file: BinaryIO, segments: list[_Segment]) -> list[str]:
    dynamic = next((s for s in segments if s.kind == _DYNAMIC), None)
    if dynamic is None:
        return []
    table = _read(file, dynamic.offset, dynamic.size // 16 * 16)
    entries = list(struct.iter_unpack("<QQ", table))
    places = dict(entries)
    if _STRINGS not in places:
        return []
    strings = _read(file, _offset(segments, places[_STRINGS]), places[_STRINGS_SIZE])
    starts = [value for kind, value in entries if kind == _NEEDED]
    return [strings[start : strings.index(b"\0", start)].decode() for start in starts]


def _offset(segments: list[_Segment], address: int) -> int:
    """Where in the file the byte is that is loaded to an address."""
    for segment in segments:
        if segment.kind == _LOADED and 0 <= address - segment.address < segment.size:
            return segment.offset + address - segment.address
    return address


def _read(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)
