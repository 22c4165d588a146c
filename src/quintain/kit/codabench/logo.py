"""A logo for contests that have none: a round target, drawn pixel by pixel."""

from __future__ import annotations

import struct
import zlib
from functools import cache

SIZE = 128
_PALETTE = bytes.fromhex("ffffff1f4e79c0392b")
_RINGS = ((0.02, 2), (0.08, 0), (0.16, 1), (0.20, 0), (0.24, 1))
"""Squared radii, as shares of the squared width, each with the colour inside it."""


@cache
def logo_png() -> bytes:
    """The logo as the content of a PNG file.

    >>> logo_png()[:4]
    b'\\x89PNG'
    """
    rows = b"".join(b"\x00" + bytes(_colour(x, y) for x in range(SIZE)) for y in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", _PALETTE), (b"IDAT", zlib.compress(rows, 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in (*chunks, (b"IEND", b"")))


def _colour(x: int, y: int) -> int:
    share = ((x + 0.5 - SIZE / 2) ** 2 + (y + 0.5 - SIZE / 2) ** 2) / SIZE**2
    return next((colour for edge, colour in _RINGS if share < edge), 0)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check
